"""What a page needs to know to write a patch of the fixes that a reader chooses: lines, and what is done to them.

Bytes are told as the characters of Latin-1, so that those of any encoding come through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from prepare_fix.bundles import Bundle, Change, Outcome, split_lines
from prepare_fix.findings import FileResult, Finding
from prepare_fix.hunks import CONTEXT
from prepare_fix.reporting.unified_diff import file_headers


class Choices:
    """The fixes of a file that can be chosen, by the findings that they mend."""

    def __init__(self, number: int, result: FileResult) -> None:
        self._bundles = result.bundles
        self._keys = {
            finding: f"{number}.{bundle}.{fix}"
            for bundle, found in enumerate(result.bundles)
            for fix, findings in enumerate(found.fixes)
            for finding in findings
        }

    def key(self, finding: Finding) -> str:
        """Return what the fix of ``finding`` is known by: file, bundle and fix; empty where there is none."""
        return self._keys.get(finding, "")

    def companions(self, finding: Finding) -> tuple[Finding, ...]:
        """Return the other findings that the fix of ``finding`` mends."""
        return tuple(other for other, key in self._keys.items() if key == self.key(finding) and other != finding)

    def is_bound(self, finding: Finding) -> bool:
        """Return whether the fix can be chosen only together with the others of its bundle."""
        key = self.key(finding)
        return bool(key) and _is_bound(self._bundles[int(key.split(".")[1])])


def tell_patches(results: Iterable[FileResult]) -> list[dict[str, Any]]:
    """Return an entry for each file, in which a page finds the fixes by their keys."""
    return [_tell_file(result) for result in results]


def _tell_file(result: FileResult) -> dict[str, Any]:
    lines = split_lines(result.before)
    changes = [change for bundle in result.bundles for outcome in bundle.outcomes for change in outcome.changes]
    return {
        "headers": file_headers(result.path).decode("latin-1"),
        "count": len(lines),
        "pieces": _tell_pieces(lines, changes),
        "bundles": [_tell_bundle(bundle) for bundle in result.bundles],
    }


def _tell_pieces(lines: Sequence[bytes], changes: Iterable[Change]) -> list[list[Any]]:
    """Return the lines that hunks can need, as stretches with the number (from 0) of their first line."""
    needed: set[int] = set()
    for change in changes:
        needed.update(range(change.start - CONTEXT, change.start + change.removed + CONTEXT))
    pieces: list[list[Any]] = []
    for number in sorted(number for number in needed if 0 <= number < len(lines)):
        if not pieces or pieces[-1][0] + len(pieces[-1]) - 1 != number:
            pieces.append([number])
        pieces[-1].append(lines[number].decode("latin-1"))
    return pieces


def _tell_bundle(bundle: Bundle) -> dict[str, Any]:
    return {
        "fixes": len(bundle.fixes),
        "bound": _is_bound(bundle),
        "outcomes": {_name(outcome.chosen): _tell_outcome(outcome) for outcome in bundle.outcomes},
    }


def _is_bound(bundle: Bundle) -> bool:
    return all(len(outcome.chosen) == len(bundle.fixes) for outcome in bundle.outcomes) and len(bundle.fixes) > 1


def _name(chosen: Iterable[int]) -> str:
    return ",".join(map(str, chosen))


def _tell_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "made": list(outcome.made),
        "changes": [
            [change.start, change.removed, [line.decode("latin-1") for line in change.new]]
            for change in outcome.changes
        ],
    }
