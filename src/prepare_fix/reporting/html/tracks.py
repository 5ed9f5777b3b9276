"""The lanes of a finding as the marks and lines of a drawing, a piece for each row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from prepare_fix.findings import EventKind, Finding, Form
from prepare_fix.reporting.html.code import highlight, render_line
from prepare_fix.reporting.html.prose import render_prose
from prepare_fix.reporting.lanes import Drawing, Mark, Row, Segment, draw
from prepare_fix.sources.text import SourceText

_PITCH = 34
_LEFT = 9
_RIGHT = 23
_LEVEL = "13"
"""Where in a row its marks are; its lines go on to whatever the height of the row is."""
_NAMES = {Form.RAW: "raw", Form.PREPARED: "prepared", Form.BARE: "bare"}


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of a track in one row: ``form`` is its class, ``top`` and ``bottom`` are lengths as SVG has them."""

    form: str
    x: int
    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class Glyph:
    """A mark at ``x``: ``shape`` and ``form`` are its classes; ``origin`` is where its track comes from."""

    shape: str
    form: str
    x: int
    origin: int | None


@dataclass(frozen=True, slots=True)
class TrackRow:
    """A row of the drawing, beside the line of the source and what happens there."""

    place: str
    code: Markup
    words: tuple[Markup, ...]
    is_fault: bool
    lines: tuple[Line, ...]
    glyphs: tuple[Glyph, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Tracks:
    """The drawing of one finding; ``width`` is that of the tracks, 0 where there are none."""

    width: int
    rows: tuple[TrackRow, ...]
    forms: tuple[str, ...]


def draw_tracks(source: SourceText, finding: Finding) -> Tracks:
    """Return the drawing of a finding in ``source``."""
    drawing = draw(source, finding)
    rows = tuple(_draw_row(source, drawing, index, row) for index, row in enumerate(drawing.rows))
    used = {_NAMES[segment.form] for lane in drawing.lanes for segment in lane.segments}
    forms = tuple(name for name in _NAMES.values() if name in used)
    return Tracks(_PITCH * len(drawing.lanes), rows, forms)


def _draw_row(source: SourceText, drawing: Drawing, index: int, row: Row) -> TrackRow:
    line = source.written_line(source.position(row.span.start).line).strip()
    return TrackRow(
        place=f"cell {row.cell}, {row.line}" if row.cell is not None else str(row.line),
        code=render_line(highlight([line])[0]),
        words=tuple(map(render_prose, row.words())),
        is_fault=row.fault is not None,
        lines=tuple(_draw_lines(drawing, index)),
        glyphs=tuple(_draw_glyph(mark) for mark in row.marks if mark.lane is not None),
        state=_describe(drawing, index),
    )


def _draw_lines(drawing: Drawing, index: int) -> Iterator[Line]:
    for number, lane in enumerate(drawing.lanes):
        for segment in lane.segments:
            if segment.first <= index <= segment.last and segment.first < segment.last:
                top = _LEVEL if index == segment.first else "0"
                bottom = _LEVEL if index == segment.last else "100%"
                yield Line(_NAMES[segment.form], _x(number, segment.form), top, bottom)


def _draw_glyph(mark: Mark) -> Glyph:
    assert mark.lane is not None
    x, left, right = (_x(mark.lane, form) for form in (mark.form, Form.RAW, Form.PREPARED))
    origin = None
    if mark.kind is EventKind.PREPARED and x != left:
        origin = left
    elif mark.kind is EventKind.UNWRAPPED and x != right:
        origin = right
    return Glyph(mark.kind.value if mark.kind is not None else "", _NAMES[mark.form], x, origin)


def _x(lane: int, form: Form) -> int:
    return _PITCH * lane + (_RIGHT if form is Form.PREPARED else _LEFT)


def _describe(drawing: Drawing, index: int) -> str:
    """Return in words what of each object is at hand in a row."""
    told = []
    for lane in drawing.lanes:
        forms = [segment.form.value for segment in lane.segments if _is_at_hand(segment, index)]
        if forms:
            told.append(f"{lane.name}: {' and '.join(forms)}")
    return "; ".join(told)


def _is_at_hand(segment: Segment, index: int) -> bool:
    return segment.first <= index <= segment.last
