"""One finding as people read it: what happens, the way of its objects, what breaks, and the repair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prepare_fix.edits import Edit
from prepare_fix.findings import EventKind, Finding, Form
from prepare_fix.reporting.excerpt import Excerpt, cut, excerpt, fold, pieces_of, stretch, text_of, width_of
from prepare_fix.reporting.lanes import Drawing, Row, draw
from prepare_fix.reporting.repair import Change, change_lines
from prepare_fix.reporting.screen import Screen, columns, printable
from prepare_fix.reporting.text import MARKS
from prepare_fix.sources.text import SourceText, Span

_COLOURS = {Form.RAW: "magenta", Form.PREPARED: "green", Form.BARE: "magenta"}
_MAX_ROWS = 14
_MAX_CHANGES = 10
_HANGING = "  "
_FOLDED = "    "
_MAX_FOLDED = 3
_MAX_CHANGED = 12  # lines of the screen for one of the repair


def format_place(source: SourceText, path: str, finding: Finding, screen: Screen) -> str:
    """Return where a finding is and what of: ``train.py:43:40: PF101 [*]``."""
    place = source.locate(finding.span.start)
    cell = f"cell {place.cell}:" if place.cell is not None else ""
    mark = screen.paint(f" {MARKS[finding.status]}".rstrip(), "cyan")
    code = screen.paint(finding.rule, "red", bold=True)
    return f"{screen.paint(printable(path), bold=True)}:{cell}{place.line}:{place.column}: {code}{mark}"


def format_findings(
    source: SourceText, path: str, findings: Iterable[Finding], screen: Screen, allows_unsafe: bool
) -> str:
    """Return the findings of one file, each on several lines, the last one empty. A fix of several is shown once.

    Where the run does not allow unsafe fixes (``allows_unsafe``), they are told to need an option.
    """
    lines: list[str] = []
    shown: dict[tuple[Edit, ...], int] = {}
    for finding in findings:
        lines += _tell_finding(source, path, finding, screen)
        edits = finding.fix.edits if finding.fix is not None else ()
        if edits in shown:
            lines += _titled("fix", f"the same as for line {shown[edits]}, above", screen)
        else:
            lines += _tell_repair(source, finding, screen, allows_unsafe)
        if edits:
            shown.setdefault(edits, source.locate(finding.span.start).line)
        lines.append("")
    return "\n".join([*lines, ""])


def format_story(source: SourceText, path: str, finding: Finding, screen: Screen) -> str:
    """Return a finding on several lines, with what its fix is about, but not with the lines that it changes."""
    return "\n".join(
        [*_tell_finding(source, path, finding, screen), *_tell_fix(finding, screen, allows_unsafe=True), ""]
    )


def _tell_finding(source: SourceText, path: str, finding: Finding, screen: Screen) -> Iterator[str]:
    """Yield the lines that tell what happens and what breaks."""
    yield from _headline(source, path, finding, screen)
    yield ""
    yield from _Lanes(source, draw(source, finding), screen).lines()
    yield ""
    if finding.consequence:
        yield from _titled("effect", finding.consequence, screen)


def _tell_repair(source: SourceText, finding: Finding, screen: Screen, allows_unsafe: bool) -> Iterator[str]:
    """Yield the lines that tell what the fix changes, or why there is none."""
    yield from _tell_fix(finding, screen, allows_unsafe)
    if finding.fix is None:
        return
    changes = [change for place in change_lines(source, finding.fix) for change in place]
    width = max((len(_line_number(change)) for change in changes), default=0)
    for change in changes[:_MAX_CHANGES]:
        yield from _changed(change, width, screen)
    if len(changes) > _MAX_CHANGES:
        yield f"{'':7}and {len(changes) - _MAX_CHANGES} more lines: see `prepare-fix diff`"


def _tell_fix(finding: Finding, screen: Screen, allows_unsafe: bool) -> list[str]:
    if finding.fix is None:
        return _titled("no fix", finding.why_no_fix or "this needs a person", screen)
    is_safe = finding.fix.is_safe
    how = "safe" if is_safe else "unsafe" if allows_unsafe else "unsafe, needs --unsafe-fixes"
    return _titled(f"fix ({how})", finding.fix.title, screen)


def _headline(source: SourceText, path: str, finding: Finding, screen: Screen) -> list[str]:
    place = format_place(source, path, finding, screen)
    width = columns(format_place(source, path, finding, Screen()))
    if width + 20 > screen.width:
        return [place, *screen.wrap(finding.story, _HANGING, _HANGING)]
    # Wrapped beside what takes as much room as the place, whose colours take none and whose blanks are no breaks.
    first, *rest = screen.wrap(finding.story, "x" * width + " ", _HANGING)
    return [place + first[width:], *rest]


def _titled(title: str, text: str, screen: Screen) -> list[str]:
    lines = screen.wrap(text, f"{_HANGING}{title}: ", _HANGING * 2)
    start = len(_HANGING)
    return [f"{_HANGING}{screen.paint(title, bold=True)}{lines[0][start + len(title) :]}", *lines[1:]]


def _line_number(place: Change | Row) -> str:
    line = "" if place.line is None else str(place.line)
    return line if place.cell is None else f"cell {place.cell}:{line}"


def _changed(change: Change, width: int, screen: Screen) -> Iterator[str]:
    """Yield a line of the repair; where it is long it goes on below, for what is cut may be what changes."""
    number = f"{'':4}{_line_number(change):>{width}}"
    colour = {"-": "red", "+": "green"}.get(change.sign)
    indent = len(change.text) - len(change.text.lstrip()) + len(_FOLDED)
    room = max(screen.width - width - 7, 24)
    lines = fold(cut(pieces_of(change.text.rstrip()), _MAX_CHANGED * room, screen.glyphs.cut), room, indent)
    yield f"{screen.paint(number, dim=True)} {screen.paint(f'{change.sign} {text_of(lines[0])}', colour)}"
    yield from (f"{'':{width + 7 + indent}}{screen.paint(text_of(line), colour)}" for line in lines[1:])


class _Lanes:
    """Draws the rows of a story: line number, lanes, code, and words."""

    def __init__(self, source: SourceText, drawing: Drawing, screen: Screen) -> None:
        self._source = source
        self._drawing = drawing
        self._screen = screen
        self._number_width = max(len(_line_number(row)) for row in drawing.rows)
        self._strands = [_strands(drawing, lane) for lane in range(len(drawing.lanes))]
        lanes = sum(count + 1 for count in self._strands)
        self._left = 2 + self._number_width + 1 + lanes + (1 if lanes else 0)
        self._room = max(screen.width - self._left, 24)
        self._words_at = self._find_words_at()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the drawing."""
        rows = self._drawing.rows
        shown = set(sorted(range(len(rows)), key=lambda index: (_is_minor(rows[index]), index))[:_MAX_ROWS])
        for index in sorted(shown):
            yield from self._row(index, rows[index])
        left = [_line_number(row) for index, row in enumerate(rows) if index not in shown]
        if left:
            told = f"and used on line{'s' * (len(left) > 1)} {', '.join(left)}"
            yield from self._screen.wrap(told, _HANGING, _HANGING * 2)

    def _find_words_at(self) -> int:
        """Return the column, behind the lanes, at which words stand beside code: as far right as the short ones let."""
        short = [length for row in self._drawing.rows if (length := columns(_words(row))) <= self._room * 45 // 100]
        right = self._room - max(short, default=0)
        widest = max(width_of(self._excerpt(row)) for row in self._drawing.rows)
        return min(right, widest + 2)

    def _excerpt(self, row: Row) -> Excerpt:
        spans = [row.span, *(mark.span for mark in row.marks)]
        if row.fault is not None:
            spans.append(row.fault)
        return excerpt(self._source, spans, self._screen.glyphs.cut)

    def _row(self, index: int, row: Row) -> Iterator[str]:
        words, code = _words(row), self._excerpt(row)
        is_short = columns(words) <= self._room - self._words_at
        if is_short and row.fault is None and all(mark.kind is EventKind.CREATED for mark in row.marks):
            # How an object is made can be told short, beside what is done with it.
            code = cut(code, self._words_at - 2, self._screen.glyphs.cut)
        folded = self._fold(code, row.fault or row.span)
        fault = row.fault
        for number, line in enumerate(folded):
            indent = len(_FOLDED) if number else 0
            start, length = stretch(line, fault) if fault is not None else (0, 0)
            text, used = f"{'':{indent}}{text_of(line)}", indent + width_of(line)
            lead = row if number == 0 else None
            is_last = line is folded[-1]
            if length:
                yield self._line(index, lead, text)
                fault, lead, used = None, None, indent + start + length
                text = f"{'':{indent + start}}{self._screen.paint('^' * length, 'red', bold=True)}"
            yield from self._with_words(index, lead, (text, used), row if is_last else None)

    def _fold(self, code: Excerpt, focus: Span) -> list[Excerpt]:
        folded = fold(code, self._room, len(_FOLDED))
        if len(folded) > _MAX_FOLDED:
            # What is far too long is cut around what the row is about.
            short = cut(code, (_MAX_FOLDED - 1) * (self._room - len(_FOLDED)), self._screen.glyphs.cut, focus)
            folded = fold(short, self._room, len(_FOLDED))
        return folded

    def _with_words(self, index: int, lead: Row | None, text: tuple[str, int], row: Row | None) -> Iterator[str]:
        """Yield a line of code or carets (and how many columns it takes), and beside or below it what happens."""
        shown, used = text
        words = _words(row) if row is not None else ""
        colour = _colour(row) if row is not None else None
        if used <= self._words_at - 2 and columns(words) <= self._room - self._words_at:
            yield self._line(index, lead, f"{shown}{'':{self._words_at - used}}{self._screen.paint(words, colour)}")
        elif used + 2 + columns(words) <= self._room:
            yield self._line(index, lead, f"{shown}  {self._screen.paint(words, colour)}")
        else:
            yield self._line(index, lead, shown)
            for line in Screen(self._room).wrap(words, "", ""):
                yield self._line(index, None, self._screen.paint(line, colour))

    def _line(self, index: int, row: Row | None, text: str) -> str:
        """Return a line of the drawing: the first one of a row (``row``), or one below it."""
        number = f"{_line_number(row) if row is not None else '':>{self._number_width}}"
        colour = "red" if row is not None and row.fault is not None else None
        lead = self._screen.paint(number, colour, bold=colour is not None, dim=colour is None)
        lanes = "".join(f"{self._lane(lane, index, row)} " for lane in range(len(self._strands)))
        gap = " " if lanes else ""
        return f"{_HANGING}{lead} {lanes}{gap}{text}".rstrip()

    def _lane(self, lane: int, index: int, row: Row | None) -> str:
        """Return what a lane looks like in row ``index``, or (without ``row``) below it."""
        segments = self._drawing.lanes[lane].segments
        forms = [mark.form for mark in row.marks if mark.lane == lane] if row is not None else []
        glyphs = self._screen.glyphs
        strands = []
        for is_prepared in (False, True):
            own = [each for each in segments if (each.form is Form.PREPARED) is is_prepared]
            is_there = any(each.first <= index <= each.last - (row is None) for each in own)
            happens = [form for form in forms if (form is Form.PREPARED) is is_prepared]
            line, event = (glyphs.prepared, glyphs.prepared_event) if is_prepared else (glyphs.raw, glyphs.raw_event)
            sign = event if happens else line if is_there else " "
            strands.append(self._screen.paint(sign, _COLOURS[Form.PREPARED if is_prepared else Form.RAW], bold=True))
        if self._strands[lane] == 2:
            return "".join(strands)
        raw, prepared = strands
        return raw if prepared.strip() == "" else prepared


def _strands(drawing: Drawing, lane: int) -> int:
    """Return how many columns a lane needs: two where the raw object is kept beside the prepared one."""
    segments = drawing.lanes[lane].segments
    prepared = [each for each in segments if each.form is Form.PREPARED]
    others = [each for each in segments if each.form is not Form.PREPARED]
    return 2 if any(one.last > other.first for one in others for other in prepared) else 1


def _is_minor(row: Row) -> bool:
    """Return whether a row can be left out where there are many: one that tells of nothing but a further use."""
    return row.fault is None and all(mark.kind is EventKind.USED for mark in row.marks)


def _colour(row: Row) -> str | None:
    forms = {mark.form for mark in row.marks if mark.lane is not None}
    return _COLOURS[forms.pop()] if len(forms) == 1 else None


def _words(row: Row) -> str:
    return printable("; ".join(row.words()))
