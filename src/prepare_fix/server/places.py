"""From spans of an analysed program to ranges of the editor's texts, in its units, and edits of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher

from lsprotocol import types

from prepare_fix.server.documents import Text
from prepare_fix.sources.text import SourceText, Span

CountUnits = Callable[[str], int]
"""Tells how many units the editor counts for a string."""
Change = tuple[Span, str]


class Places:
    """The places of one program: ``texts`` in their order, and the offset in the program where each begins."""

    def __init__(self, texts: Iterable[Text], starts: Iterable[int], count_units: CountUnits) -> None:
        self._texts = [(start, text) for start, text in zip(starts, texts, strict=True)]
        self._count_units = count_units

    def locate(self, span: Span) -> types.Location:
        """Return where ``span`` is; what reaches over the end of a cell is cut there."""
        start, text = next(
            (start, text) for start, text in reversed(self._texts) if start <= span.start or text is self._texts[0][1]
        )
        end = min(span.end - start, len(text.source.text))
        return types.Location(text.uri, self.range_in(text, Span(span.start - start, end)))

    def range_in(self, text: Text, span: Span) -> types.Range:
        """Return the range of ``span``, offsets in ``text``."""
        return types.Range(self._position(text.source, span.start), self._position(text.source, span.end))

    def _position(self, source: SourceText, offset: int) -> types.Position:
        line = source.position(offset).line
        before = source.text[source.line_starts[line - 1] : offset]
        return types.Position(line - 1, self._count_units(before))

    def build_edit(self, changes: Mapping[int, Iterable[Change]], is_versioned: bool) -> types.WorkspaceEdit:
        """Return the edit that makes ``changes``, given by the index of the text that their spans lie in.

        ``is_versioned`` says that the editor knows edits of one version, which it refuses when the text has changed.
        """
        edits: dict[str, list[types.TextEdit]] = {}
        versions: dict[str, int | None] = {}
        for index, changed in changes.items():
            text = self._texts[index][1]
            versions[text.uri] = text.version
            edits[text.uri] = [types.TextEdit(self.range_in(text, span), new) for span, new in changed]
        if not is_versioned:
            return types.WorkspaceEdit(changes=edits)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), list(made))
                for uri, made in edits.items()
            ]
        )


def find_changed_lines(before: SourceText, after: SourceText) -> list[Change]:
    """Return the changes of whole lines that make ``after`` of ``before``, so that marks on other lines stay."""
    old, new = split_lines(before), split_lines(after)
    starts = [*before.line_starts[: len(old)], len(before.text)]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (Span(starts[first], starts[stop]), "".join(new[new_first:new_stop]))
        for step, first, stop, new_first, new_stop in steps
        if step != "equal"
    ]


def split_lines(source: SourceText) -> list[str]:
    """Return the lines of ``source`` with their ends; none for what would be an empty last one."""
    ends = [*source.line_starts[1:], len(source.text)]
    lines = [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]
    return lines if lines[-1] else lines[:-1]
