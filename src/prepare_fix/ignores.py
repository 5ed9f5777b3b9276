"""Comments that silence all that is found in a file, so that old code can adopt the tool."""

from __future__ import annotations

import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from prepare_fix.edits import Edit
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileResult, Finding
from prepare_fix.pipeline import check_document
from prepare_fix.settings import Settings
from prepare_fix.sources.text import SourceText, Span
from prepare_fix.suppress import Directive, Reach, UnusedIgnore, read_suppressions, read_tokens
from prepare_fix.verify import replaced

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document


def ignore_document(document: Document, settings: Settings) -> FileResult:
    """Return the document with a comment for each finding that a comment can silence.

    Raises:
        SourceError: the text can't be parsed, or the comments would do something else than to silence.
    """
    checked = check_document(document, settings)
    silenced = [finding for finding in checked.findings if finding.rule != UnusedIgnore.code]
    edits = build_ignores(document.source, silenced)
    if not edits:
        return checked
    after = replaced(document, edits)
    result = check_document(after, settings)
    done = _difference(silenced, result.findings)
    if _difference(result.findings, checked.findings):
        raise SourceError("internal", "the comments would bring new findings")
    return replace(result, fixed=tuple(done), source=after.source, before=document.raw, after=after.raw)


def build_ignores(source: SourceText, findings: Iterable[Finding]) -> list[Edit]:
    """Return the edits that write a comment to each of ``findings`` in ``source``, a program, that one can silence."""
    places = _Places(source)
    by_line: dict[int, list[Finding]] = {}
    for finding in findings:
        by_line.setdefault(source.position(finding.span.start).line, []).append(finding)
    return [edit for line, group in by_line.items() if (edit := places.build_edit(line, group)) is not None]


def _difference(some: Iterable[Finding], others: Iterable[Finding]) -> list[Finding]:
    """Return the findings of ``some`` that ``others`` do not have."""
    had = Counter(map(_identify, others))
    left = []
    for finding in some:
        had[_identify(finding)] -= 1
        left += [finding] if had[_identify(finding)] < 0 else []
    return left


def _identify(finding: Finding) -> str:
    """Return what a finding is known by, though the words of a comment may change that is found itself."""
    return UnusedIgnore.code if finding.rule == UnusedIgnore.code else finding.fingerprint


class _Places:
    """Where a comment can stand on the lines of a program, which is one that parses."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._comments: dict[int, tokenize.TokenInfo] = {}
        self._ended: set[int] = {0}
        for token in read_tokens(source):
            if token.type == tokenize.COMMENT:
                self._comments[token.start[0]] = token
            elif token.type in (tokenize.NEWLINE, tokenize.NL):
                # No such token where a line ends within a string or with a backslash.
                self._ended.add(token.start[0])
        self._directives: Mapping[int, Directive] = {
            source.position(directive.span.start).line: directive
            for directive in read_suppressions(source).directives
            if directive.reach is Reach.LINE and not directive.objection
        }

    def build_edit(self, line: int, findings: Iterable[Finding]) -> Edit | None:
        """Return the edit that silences ``findings``, all on ``line``; ``None`` where no comment can."""
        codes = sorted({finding.rule for finding in findings})
        directive = self._directives.get(line)
        if directive is not None and directive.listed is not None:
            listed = ", ".join((*directive.codes, *codes))
            return Edit(directive.listed, self._source.slice(directive.listed), listed)
        start = self._source.line_starts[line - 1]
        if line in self._ended:
            end = start + len(self._source.line(line).rstrip(" \t\f"))
            return Edit(Span(end, end), "", f"  # prepare-fix: {Reach.LINE.value}[{', '.join(codes)}]")
        if line - 1 in self._ended:
            indentation = self._source.indentation(start)
            comment = f"{indentation}# prepare-fix: {Reach.NEXT_LINE.value}[{', '.join(codes)}]{self._source.newline}"
            return Edit(Span(start, start), "", comment)
        return None
