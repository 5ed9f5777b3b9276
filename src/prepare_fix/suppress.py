"""Comments that silence findings, and PF001, the one rule that reads comments instead of the trace.

Only what the tokenizer calls a comment counts, never the inside of a string.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

from prepare_fix.edits import Edit
from prepare_fix.findings import Applicability, Finding, Fix
from prepare_fix.settings import find_prefix, fits_prefix
from prepare_fix.sources.text import SourceText, Span

MARKER = "prepare-fix:"
_DIRECTIVE = re.compile(r"#\s*prepare-fix:\s*(?P<verb>[\w-]*)(?P<codes>\s*\[(?P<list>[^\]#]*)\])?[^#]*")
_BEFORE_STATEMENTS = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
_NO_CODE = (*_BEFORE_STATEMENTS, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class UnusedIgnore:
    """A comment silences nothing.

    What it does:
        Finds comments for prepare-fix that silence no finding: the mistake was mended, the comment stands on another
        line than the finding, no rule has its code, or the comment is none that the tool knows. A code of a rule that
        this run does not look for is left alone.

    Why it matters:
        Such a comment says that something is wrong on purpose where nothing is, and it will hide the next mistake on
        its line.

    Example:
        ```python
        from accelerate import Accelerator

        accelerator = Accelerator()  # prepare-fix: ignore[PF301] reviewed
        print(accelerator.device, "prepare")
        ```

    Use instead:
        ```python
        from accelerate import Accelerator

        accelerator = Accelerator()
        print(accelerator.device, "prepare")
        ```

    Fix safety:
        Safe: the comment goes, or the code in it that silences nothing. A comment that the tool does not understand is
        left for a person, and so is a code that no rule has: the finding says which rule is nearest.

    Limits:
        Files that do not mention Accelerate are not looked into.

    Source:
        The tool's own definition of these comments.
    """

    code: ClassVar[str] = "PF001"
    name: ClassVar[str] = "unused-ignore"
    summary: ClassVar[str] = "a comment silences nothing"


class Reach(Enum):
    """What a comment speaks of."""

    LINE = "ignore"
    NEXT_LINE = "ignore-next-line"
    FILE = "ignore-file"
    WHOLE_FILE = "skip-file"


@dataclass(frozen=True, slots=True)
class Directive:
    """One ``# prepare-fix: ...`` at ``span``, which reaches up to the next "#" or the end of the comment.

    ``line`` is the one that it speaks of, ``None`` for the whole file; ``listed`` is where its codes stand, between
    the brackets. ``objection`` says why it can't have been meant so.
    """

    span: Span
    reach: Reach | None
    line: int | None
    codes: tuple[str, ...] = ()
    listed: Span | None = None
    objection: str = ""


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All directives of one program."""

    source: SourceText
    directives: tuple[Directive, ...]

    @property
    def skips_file(self) -> bool:
        """Whether nothing at all is to be reported."""
        return any(directive.reach is Reach.WHOLE_FILE and not directive.objection for directive in self.directives)

    def apply(
        self, findings: Iterable[Finding], known: Sequence[str], is_judged: Callable[[str], bool]
    ) -> list[Finding]:
        """Return the findings that are not silenced, and those of PF001 about directives with nothing to silence.

        ``known`` are the codes of all rules; ``is_judged`` tells whether all that a prefix stands for were asked.
        """
        if self.skips_file:
            return []
        left: list[Finding] = []
        used: set[tuple[Directive, str]] = set()
        for finding in findings:
            line = self.source.position(finding.span.start).line
            silencing = list(self._silencing(finding.rule, line))
            used.update(silencing)
            left += [] if silencing else [finding]

        def is_unused(directive: Directive, code: str) -> bool:
            return (directive, code) not in used and is_judged(code)

        unused = [finding for directive in self.directives for finding in self._judge(directive, known, is_unused)]
        return left + [finding for finding in unused if not self._is_meant(finding)]

    def _silencing(self, code: str, line: int) -> Iterator[tuple[Directive, str]]:
        for directive in self.directives:
            if not directive.objection and directive.line in (line, None):
                yield from ((directive, prefix) for prefix in directive.codes if fits_prefix(code, prefix))

    def _is_meant(self, finding: Finding) -> bool:
        line = self.source.position(finding.span.start).line
        return any(prefix == UnusedIgnore.code for _, prefix in self._silencing(UnusedIgnore.code, line))

    def _judge(
        self, directive: Directive, known: Sequence[str], is_unused: Callable[[Directive, str], bool]
    ) -> Iterator[Finding]:
        if directive.objection:
            yield self._finding(directive, directive.objection, None)
            return
        foreign = [prefix for prefix in directive.codes if not any(fits_prefix(code, prefix) for code in known)]
        if foreign:
            yield self._finding(directive, "; ".join(_tell_foreign(code, known) for code in foreign), None)
        unused = [code for code in directive.codes if code not in foreign and is_unused(directive, code)]
        if unused:
            where = "in this file" if directive.line is None else "there"
            message = f"nothing {where} is silenced by {', '.join(f'`{code}`' for code in unused)}"
            yield self._finding(directive, message, self._removal(directive, unused))

    def _finding(self, directive: Directive, message: str, fix: Fix | None) -> Finding:
        text = " ".join(self.source.slice(directive.span).split())
        return Finding(
            rule=UnusedIgnore.code,
            name=UnusedIgnore.name,
            story=message,
            consequence="",
            span=directive.span,
            fingerprint=f"{UnusedIgnore.code}:{text}",
            fix=fix,
            why_no_fix="" if fix else "what it is meant to say is for a person to know",
        )

    def _removal(self, directive: Directive, unused: list[str]) -> Fix:
        kept = [code for code in directive.codes if code not in unused]
        if kept and directive.listed is not None:
            edit = Edit(directive.listed, self.source.slice(directive.listed), ", ".join(kept))
            return Fix(f"Remove {', '.join(unused)}", Applicability.SAFE, (edit,))
        span = _whole_place(self.source, directive.span)
        return Fix("Remove the comment", Applicability.SAFE, (Edit(span, self.source.slice(span), ""),))


def _tell_foreign(prefix: str, known: Sequence[str]) -> str:
    near = find_prefix(prefix, known)
    return f"no rule has a code that begins with `{prefix}`" + (f", did you mean `{near}`?" if near else "")


def _whole_place(source: SourceText, span: Span) -> Span:
    """Return what goes with the comment at ``span``: the blanks in front of it, or its line where it is alone there."""
    position = source.position(span.start)
    line_start = source.line_starts[position.line - 1]
    line_end = line_start + len(source.line(position.line))
    start = line_start + len(source.text[line_start : span.start].rstrip(" \t"))
    if span.end < line_end:
        # More of the comment follows, and takes the place of this part.
        rest = source.text[span.end : line_end]
        return Span(span.start, span.end + len(rest) - len(rest.lstrip()))
    if source.text[line_start:start].strip(" \t\f") == "" and position.line < len(source.line_starts):
        return Span(line_start, source.line_starts[position.line])
    return Span(start, span.end)


def read_suppressions(source: SourceText) -> Suppressions:
    """Return what the comments of ``source``, a program that parses, ask for."""
    if MARKER not in source.text:
        return Suppressions(source, ())
    tokens = list(read_tokens(source))
    head = _count_head(tokens)
    directives: list[Directive] = []
    waiting: list[Directive] = []
    for index, token in enumerate(tokens):
        if token.type == tokenize.COMMENT:
            for directive in _read_comment(source, token, index < head):
                (waiting if directive.reach is Reach.NEXT_LINE else directives).append(directive)
        elif token.type not in _NO_CODE:
            directives += [replace(directive, line=token.start[0]) for directive in waiting]
            waiting = []
    directives += [replace(directive, line=0) for directive in waiting]
    return Suppressions(source, tuple(sorted(directives, key=lambda directive: directive.span)))


def read_tokens(source: SourceText) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of ``source`` as far as the tokenizer understands it; their lines are those of ``source``."""
    # Lines as ``SourceText`` counts them: ``io.StringIO`` would not end one at a bare carriage return.
    lines = (f"{source.line(number)}\n" for number in range(1, len(source.line_starts) + 1))
    try:
        yield from tokenize.generate_tokens(lambda: next(lines, ""))
    except (tokenize.TokenError, SyntaxError):
        return


def _count_head(tokens: list[tokenize.TokenInfo]) -> int:
    """Return how many tokens stand in front of the first statement, a docstring apart."""
    docstring = False
    for index, token in enumerate(tokens):
        if token.type == tokenize.STRING and not docstring:
            docstring = True
        elif token.type not in _BEFORE_STATEMENTS:
            return index
    return len(tokens)


def _read_comment(source: SourceText, token: tokenize.TokenInfo, is_in_head: bool) -> Iterator[Directive]:
    line, column = token.start
    start = source.line_starts[line - 1] + column
    is_alone = not token.line[:column].strip()
    for match in _DIRECTIVE.finditer(token.string):
        end = match.start() + len(match.group().rstrip())
        span = Span(start + match.start(), start + end)
        listed = Span(start + match.start("list"), start + match.end("list")) if match["codes"] else None
        codes = tuple(code.strip() for code in (match["list"] or "").split(",") if code.strip())
        reach = next((reach for reach in Reach if reach.value == match["verb"]), None)
        if reach is Reach.LINE and is_alone:
            # On a line of its own there is no finding to silence: the line below is meant.
            reach = Reach.NEXT_LINE
        spoken_of = None if reach in (Reach.FILE, Reach.WHOLE_FILE) else line
        yield Directive(span, reach, spoken_of, codes, listed, _object_to(match["verb"], reach, codes, is_in_head))


def _object_to(verb: str, reach: Reach | None, codes: tuple[str, ...], is_in_head: bool) -> str:
    if reach is None:
        forms = "`ignore[...]`, `ignore-next-line[...]`, `ignore-file[...]` and `skip-file`"
        return f"`{verb}` is no comment that prepare-fix knows; there are {forms}"
    if reach is Reach.WHOLE_FILE:
        return "" if is_in_head else "`skip-file` has to stand in front of the first statement"
    if not codes:
        return f"`{reach.value}` has to name the rules that it silences: `{reach.value}[PF301]`"
    if reach is Reach.FILE and not is_in_head:
        return "`ignore-file` has to stand in front of the first statement"
    return ""
