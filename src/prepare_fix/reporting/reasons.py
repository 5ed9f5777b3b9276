"""Why a diff changes a file: text in front of it that programs which apply it pass over."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from prepare_fix.findings import FileResult, Finding
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.wording import advise, name_cell
from prepare_fix.sources.document import read_document
from prepare_fix.sources.text import SourceText

# No line of a diff begins with it, in whatever form; blank lines, digits and indented headers would be looked into.
_LEAD = "# "
_WIDTH = 80


def format_reasons(result: FileResult) -> bytes:
    """Return what the findings are that the change of ``result`` mends, and what their fixes do; empty for none."""
    if not result.fixed:
        return b""
    source = read_document(result.before, result.path).source
    lines = [line for finding in result.fixed for line in _tell(source, finding)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _tell(source: SourceText, finding: Finding) -> Iterator[str]:
    place = source.locate(finding.span.start)
    where = name_cell(place.cell, place.line) or f"line {place.line}"
    yield f"{_LEAD}{finding.rule} {finding.name}, {where}"
    yield from _wrap(finding.story)
    if finding.consequence:
        yield from _wrap(f"effect: {finding.consequence}")
    yield from _wrap(advise(finding))


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(
        printable(text),
        _WIDTH,
        initial_indent=f"{_LEAD}  ",
        subsequent_indent=f"{_LEAD}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
