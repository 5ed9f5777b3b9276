"""Comments that silence findings: ``# prepare-fix: ignore[PF301] reason`` and ``# prepare-fix: skip-file``."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator

from prepare_fix.findings import Finding
from prepare_fix.sources.text import SourceText

MARKER = "prepare-fix:"
_IGNORE = re.compile(r"#\s*prepare-fix:\s*ignore\[([^\]]*)\]")
_SKIP_FILE = re.compile(r"#\s*prepare-fix:\s*skip-file\b")
_BEFORE_STATEMENTS = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)


def drop_suppressed(source: SourceText, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings that no comment of ``source`` silences. The text is one that parses."""
    if not findings or MARKER not in source.text:
        return findings
    tokens = tuple(_tokens(source))
    if any(_SKIP_FILE.search(comment) for comment in _leading_comments(tokens)):
        return ()
    ignored = _find_ignored(tokens)
    return tuple(
        finding
        for finding in findings
        if not finding.rule.startswith(ignored.get(source.position(finding.span.start).line, ()))
    )


def _tokens(source: SourceText) -> Iterator[tokenize.TokenInfo]:
    # Lines as ``SourceText`` counts them: ``io.StringIO`` would not end one at a bare carriage return.
    lines = (f"{source.line(number)}\n" for number in range(1, len(source.line_starts) + 1))
    return tokenize.generate_tokens(lambda: next(lines, ""))


def _leading_comments(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[str]:
    """Yield the comments in front of the first statement, a docstring apart."""
    docstring = False
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.string
        elif token.type == tokenize.STRING and not docstring:
            docstring = True
        elif token.type not in _BEFORE_STATEMENTS:
            return


def _find_ignored(tokens: Iterable[tokenize.TokenInfo]) -> dict[int, tuple[str, ...]]:
    """Return the code prefixes that are ignored, by line."""
    ignored: dict[int, tuple[str, ...]] = {}
    for token in tokens:
        if token.type == tokenize.COMMENT:
            for match in _IGNORE.finditer(token.string):
                codes = tuple(code.strip() for code in match.group(1).split(",") if code.strip())
                ignored[token.start[0]] = ignored.get(token.start[0], ()) + codes
    return ignored
