"""How many findings there are, and where: by status, rule and folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from prepare_fix.findings import FileResult, Finding
from prepare_fix.reporting.places import portable_path
from prepare_fix.reporting.screen import printable

STATUSES = {
    "fixable": "safe fix",
    "fixable-unsafe": "unsafe fix",
    "not-fixable": "for a person",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a bar: both lengths in percent of the longest bar."""

    status: str
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Count:
    """How many findings something has, in words that a filter knows (``key``) and that people read."""

    key: str
    label: str
    number: int
    statuses: dict[str, int]
    bar: tuple[Part, ...]


def count_statuses(results: Iterable[FileResult]) -> Count:
    """Return all findings by status."""
    (everything,) = _count(((finding, "") for result in results for finding in result.findings), lambda key: key) or (
        Count("", "", 0, {}, ()),
    )
    return everything


def count_rules(results: Iterable[FileResult]) -> tuple[Count, ...]:
    """Return the findings by rule, the most first."""
    names: dict[str, str] = {}
    pairs = []
    for result in results:
        for finding in result.findings:
            names[finding.rule] = finding.name
            pairs.append((finding, finding.rule))
    return _count(pairs, names.__getitem__)


def count_folders(results: Iterable[FileResult]) -> tuple[Count, ...]:
    """Return the findings by the folder that their file is in, the most first."""
    pairs = [(finding, folder_of(result.path)) for result in results for finding in result.findings]
    return _count(pairs, lambda key: key)


def folder_of(path: str) -> str:
    """Return the folder of a file, with ``/``; ``.`` for the current one."""
    return PurePath(printable(portable_path(path))).parent.as_posix()


def outer_folders(folders: Iterable[str]) -> list[str]:
    """Return ``folders`` and all around them, sorted, less the one that everything is in."""
    found = {outer.as_posix() for folder in folders for outer in (PurePath(folder), *PurePath(folder).parents)}
    return sorted(found - {"/"})


def _count(pairs: Iterable[tuple[Finding, str]], label: Callable[[str], str]) -> tuple[Count, ...]:
    counts: dict[str, Counter[str]] = {}
    for finding, key in pairs:
        counts.setdefault(key, Counter())[finding.status] += 1
    longest = max((found.total() for found in counts.values()), default=1)
    ordered = sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    return tuple(
        Count(key, label(key), found.total(), {status: found[status] for status in STATUSES}, _bar(found, longest))
        for key, found in ordered
    )


def _bar(statuses: Counter[str], longest: int) -> tuple[Part, ...]:
    parts: list[Part] = []
    start = 0.0
    for status in STATUSES:
        length = round(100 * statuses[status] / longest, 2)
        if length:
            parts.append(Part(status, round(start, 2), length))
        start += length
    return tuple(parts)
