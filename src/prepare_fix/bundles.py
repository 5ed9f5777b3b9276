"""Fixes of one file that are chosen together or apart, and what each choice does to the lines of the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from prepare_fix.errors import EditConflictError
from prepare_fix.findings import Finding


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Put the lines ``new`` in the place of ``removed`` lines of a file from line ``start`` (from 0).

    A line ends at a line feed alone, as for git, and holds all its bytes, the line feed too.
    """

    start: int
    removed: int
    new: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of a choice among the fixes of a bundle: the ``changes``, by position, and the fixes ``made``.

    ``chosen`` and ``made`` are indices of fixes. Where fixes do not go together, fewer are made than were chosen.
    """

    chosen: tuple[int, ...]
    made: tuple[int, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Fixes that touch the same lines or depend on each other: ``fixes`` has the findings that each of them mends.

    Whatever is chosen in one bundle goes together with whatever is chosen in another. ``outcomes`` has every choice
    in this one, or, where there are too many fixes, that of all of them alone.
    """

    fixes: tuple[tuple[Finding, ...], ...]
    outcomes: tuple[Outcome, ...]

    @property
    def full(self) -> Outcome:
        """What comes of choosing all."""
        return self.outcomes[-1]


def split_lines(raw: bytes) -> list[bytes]:
    """Return the lines of a file as git counts them, each with its line feed."""
    lines = raw.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def find_changes(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Change, ...]:
    """Return what makes the lines ``old`` into ``new``."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    # A fix changes few lines of a file, and to compare all would take long where the file is.
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return tuple(
        Change(head + low, high - low, tuple(new[head + new_low : head + new_high]))
        for kind, low, high, new_low, new_high in matcher.get_opcodes()
        if kind != "equal"
    )


def _common(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def make_changes(lines: Sequence[bytes], changes: Iterable[Change]) -> bytes:
    """Return the bytes of the file of ``lines`` with all ``changes`` made.

    Raises:
        EditConflictError: two of them touch the same line.
    """
    parts: list[bytes] = []
    done = 0
    for change in sorted(changes):
        if change.start < done:
            raise EditConflictError(f"two changes touch line {change.start + 1}")
        parts += [*lines[done : change.start], *change.new]
        done = change.start + change.removed
    return b"".join([*parts, *lines[done:]])


def find_reach(lines: Sequence[bytes], change: Change) -> tuple[int, int]:
    """Return from where to where ``change`` reaches, end exclusive.

    Lines that come or go among equal ones could as well be others of these: all of them count.
    """
    start, end = change.start, change.start + change.removed
    block = [*lines[start:end], *change.new]
    if change.removed and change.new:
        return start, end
    before, after = 0, 0
    while start - before > 0 and lines[start - before - 1] == block[-1 - before % len(block)]:
        before += 1
    while end + after < len(lines) and lines[end + after] == block[after % len(block)]:
        after += 1
    return start - before, end + after


def touch(lines: Sequence[bytes], one: Change, other: Change) -> bool:
    """Return whether two changes reach for the same lines, or it is open which of them comes first."""
    (low, high), (start, end) = find_reach(lines, one), find_reach(lines, other)
    if not one.removed and not other.removed:
        return low <= end and start <= high
    return (low < end and start < high) or low == start
