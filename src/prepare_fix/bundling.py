"""Which fixes of a file may be chosen one by one, and what comes of each choice: found by making them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

from prepare_fix.bundles import Bundle, Outcome, find_changes, make_changes, split_lines, touch
from prepare_fix.edits import Edit, find_conflict
from prepare_fix.errors import SourceError
from prepare_fix.findings import Finding
from prepare_fix.passes import MAX_PASSES, choose, make_choices
from prepare_fix.settings import Settings
from prepare_fix.sources.document import read_document
from prepare_fix.verify import Examination, build_fixes, examine, find_objection, replaced

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document

MAX_FREE = 3
"""Up to as many fixes of a bundle every choice is tried, which are 7: more of them are made together or not at all."""
_ALL_FIXES = Settings(unsafe_fixes=True)

_Fixes = Sequence[tuple[Finding, ...]]


def build_bundles(examination: Examination, findings: Sequence[Finding]) -> tuple[Bundle, ...]:
    """Return the bundles of the fixes of ``findings``, which are some or all of those of ``examination``.

    Each fix was verified alone, each choice within a bundle is, and so are all fixes of the file together; what a
    choice across bundles comes to is not looked at again.
    """
    by_edits: dict[tuple[Edit, ...], list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None:
            by_edits.setdefault(finding.fix.edits, []).append(finding)
    fixes = [tuple(group) for group in by_edits.values()]
    groups = [[index] for index in range(len(fixes))]
    pairs = [(one, two) for one, two in combinations(groups, 2) if _conflict(fixes[one[0]], fixes[two[0]])]
    built: dict[tuple[int, ...], Bundle] = {}
    while True:
        groups = _merge(groups, pairs)
        for group in groups:
            if tuple(group) not in built:
                built[tuple(group)] = _build_bundle(examination, [fixes[index] for index in group])
        bundles = [built[tuple(group)] for group in groups]
        pairs = [(groups[one], groups[two]) for one, two in _find_dependent(examination, bundles)]
        if not pairs:
            return tuple(bundle for bundle in bundles if bundle.outcomes)


def _merge(groups: Iterable[list[int]], pairs: Sequence[tuple[list[int], list[int]]]) -> list[list[int]]:
    """Return ``groups`` with those of each pair made one."""
    merged = [set(group) for group in groups]
    for one, two in pairs:
        both = [group for group in merged if not group.isdisjoint({*one, *two})]
        merged = [group for group in merged if group not in both] + [set().union(*both)]
    return sorted(sorted(group) for group in merged)


def _build_bundle(examination: Examination, fixes: _Fixes) -> Bundle:
    everything = tuple(range(len(fixes)))
    sizes = range(1, len(fixes) + 1) if len(fixes) <= MAX_FREE else [len(fixes)]
    choices = [chosen for size in sizes for chosen in combinations(everything, size)]
    outcomes = (_find_outcome(examination, fixes, chosen) for chosen in choices)
    return Bundle(tuple(fixes), tuple(outcome for outcome in outcomes if outcome.made))


def _find_outcome(examination: Examination, fixes: _Fixes, chosen: tuple[int, ...]) -> Outcome:
    if len(chosen) > 1:
        return _try_choice(examination, fixes, chosen)
    # What comes of a single fix was looked at when it was built.
    document = examination.document
    return _build_outcome(document, replaced(document, _edits(fixes[chosen[0]])), chosen, chosen)


def _try_choice(examination: Examination, fixes: _Fixes, chosen: tuple[int, ...]) -> Outcome:
    """Make the chosen fixes as ``fix`` would make them, were there no others."""
    wanted = [finding for index in chosen for finding in fixes[index]]
    after, mended = _make(examination, wanted)
    made = tuple(index for index in chosen if not Counter(_fingerprints(fixes[index])) - mended)
    return _build_outcome(examination.document, after.document, chosen, made)


def _build_outcome(before: Document, after: Document, chosen: tuple[int, ...], made: tuple[int, ...]) -> Outcome:
    return Outcome(chosen, made, find_changes(split_lines(before.raw), split_lines(after.raw)))


def _conflict(one: tuple[Finding, ...], two: tuple[Finding, ...]) -> bool:
    return find_conflict(_edits(one), _edits(two))


def _edits(fix: tuple[Finding, ...]) -> tuple[Edit, ...]:
    return fix[0].fix.edits if fix[0].fix is not None else ()


def _make(examination: Examination, wanted: Sequence[Finding]) -> tuple[Examination, Counter[str]]:
    """Return what is found when the fixes of ``wanted`` are made, and the fingerprints of what that mended."""
    had = Counter(_fingerprints(examination.findings))
    mended: Counter[str] = Counter()
    left = list(wanted)
    for _ in range(MAX_PASSES):
        examination, made, _ = make_choices(examination, choose(left, _ALL_FIXES))
        now = Counter(fingerprint for choice in made for fingerprint in _fingerprints(choice.findings))
        left = list(build_fixes(examination, _find_again(left, now, examination.findings)))
        mended += now
        if not made or not left:
            break
    # A fix can mend more than it was made for.
    gone = had - Counter(_fingerprints(examination.findings))
    return examination, mended | gone


def _fingerprints(findings: Iterable[Finding]) -> list[str]:
    return [finding.fingerprint for finding in findings]


def _find_again(before: Iterable[Finding], mended: Counter[str], now: Iterable[Finding]) -> list[Finding]:
    """Return those of ``before`` that were not mended, as they are ``now``."""
    wanted = Counter(_fingerprints(before)) - mended
    again = []
    for finding in now:
        if wanted[finding.fingerprint] > 0:
            wanted[finding.fingerprint] -= 1
            again.append(finding)
    return again


def _find_dependent(examination: Examination, bundles: Sequence[Bundle]) -> list[tuple[int, int]]:
    """Return the pairs of ``bundles`` that can't be chosen independently of each other."""
    pairs = list(combinations(range(len(bundles)), 2))
    lines = split_lines(examination.document.raw)
    if touching := [pair for pair in pairs if _touch(lines, *(bundles[index] for index in pair))]:
        return touching
    if len(bundles) < 2 or not _object(examination, lines, bundles):
        return []
    bound = _find_least(lambda chosen: _object(examination, lines, chosen), bundles)
    return [(bundles.index(one), bundles.index(two)) for one, two in pairwise(bound)] or pairs


def _find_least(is_refused: Callable[[Sequence[Bundle]], bool], bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return bundles that are refused together, and without any of them are not; ``bundles``, all of them, are refused.

    To try each pair would take a look at the file for each, which are tens of thousands where there are some hundred
    fixes; this takes a few for each bundle that is returned.
    """
    rest, least = list(bundles), list[Bundle]()
    while rest and not (least and is_refused(least)):
        # Of the fewest that are refused in front of those known to be needed, the last is needed too.
        fewest = bisect_left(range(1, len(rest)), True, key=lambda size: is_refused([*rest[:size], *least]))
        least.append(rest[fewest])
        rest = rest[:fewest]
    return least


def _touch(lines: Sequence[bytes], one: Bundle, two: Bundle) -> bool:
    some, others = ({change for outcome in bundle.outcomes for change in outcome.changes} for bundle in (one, two))
    return any(touch(lines, change, other) for change, other in product(some, others))


def _object(examination: Examination, lines: Sequence[bytes], bundles: Iterable[Bundle]) -> bool:
    """Return whether something speaks against making all fixes of ``bundles``."""
    full = [(bundle, bundle.full) for bundle in bundles if bundle.outcomes]
    raw = make_changes(lines, (change for _, outcome in full for change in outcome.changes))
    source = examination.document.source
    try:
        after = examine(read_document(raw, source.path, in_tree=source.in_tree))
    except SourceError:
        return True
    return bool(find_objection(examination, after, list(_mended(full))))


def _mended(full: Iterable[tuple[Bundle, Outcome]]) -> Iterator[Finding]:
    for bundle, outcome in full:
        for index in outcome.made:
            yield from bundle.fixes[index]
