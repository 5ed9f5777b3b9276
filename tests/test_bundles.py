"""Fixes to choose from: whatever is chosen, the lines become what these fixes make of them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import combinations

import fakes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import GOLDEN, SHAPES

from prepare_fix import bundling, verify
from prepare_fix.bundles import Bundle, Change, find_changes, find_reach, make_changes, split_lines, touch
from prepare_fix.errors import EditConflictError
from prepare_fix.findings import FileResult, Finding
from prepare_fix.pipeline import bundle_document, do_bytes, fix_document
from prepare_fix.settings import Settings
from prepare_fix.sources.document import read_document
from prepare_fix.sources.text import SourceText, Span

FILLER = "y = 0\n" * 9
few_lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n"])).map(lambda lines: b"".join(lines))
endings = st.sampled_from([b"", b"a", b"\xff"])


@given(few_lines, endings, few_lines, endings)
def test_changes_give_the_new_lines(old: bytes, old_end: bytes, new: bytes, new_end: bytes) -> None:
    lines = split_lines(old + old_end)
    assert b"".join(lines) == old + old_end
    changes = find_changes(lines, split_lines(new + new_end))
    assert make_changes(lines, changes) == new + new_end
    assert make_changes(lines, reversed(changes)) == new + new_end


def test_changes_of_one_line_do_not_go_together() -> None:
    lines = [b"a\n", b"b\n"]
    with pytest.raises(EditConflictError, match="two changes touch line 1"):
        make_changes(lines, [Change(0, 2, ()), Change(0, 1, (b"c\n",))])


LINES = [b"a\n", b"x\n", b"x\n", b"b\n", b"c\n"]


@pytest.mark.parametrize(
    ("change", "reach"),
    [
        (Change(0, 1, (b"z\n",)), (0, 1)),
        (Change(1, 1, ()), (1, 3)),
        (Change(2, 0, (b"x\n",)), (1, 3)),
        (Change(4, 0, (b"b\n", b"d\n")), (4, 4)),
        (Change(4, 0, (b"c\n", b"b\n")), (3, 5)),
        (Change(5, 0, (b"d\n",)), (5, 5)),
    ],
)
def test_equal_lines_around_a_change_are_in_its_reach(change: Change, reach: tuple[int, int]) -> None:
    assert find_reach(LINES, change) == reach


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Change(0, 1, (b"z\n",)), Change(1, 1, (b"z\n",)), False),
        (Change(0, 2, (b"z\n",)), Change(1, 1, (b"z\n",)), True),
        (Change(0, 1, (b"z\n",)), Change(1, 0, (b"z\n",)), False),
        (Change(0, 1, (b"z\n",)), Change(0, 0, (b"z\n",)), True),
        (Change(4, 0, (b"z\n",)), Change(4, 0, (b"w\n",)), True),
        # The first takes one of the equal lines, and so may have taken the other.
        (Change(1, 1, ()), Change(2, 1, (b"z\n",)), True),
        (Change(2, 0, (b"x\n",)), Change(3, 0, (b"z\n",)), True),
    ],
)
def test_touch(one: Change, other: Change, expected: bool) -> None:
    assert touch(LINES, one, other) is expected
    assert touch(LINES, other, one) is expected


def bundled(text: str, name: str = "a.py") -> FileResult:
    result = do_bytes(text.encode(), name, Settings(), bundle_document)
    assert result.error is None
    assert pickle.loads(pickle.dumps(result)) == result
    return result


def names(bundle: Bundle) -> list[list[str]]:
    return [[finding.story.split("`")[1] for finding in fix] for fix in bundle.fixes]


def made(result: FileResult, bundle: Bundle) -> dict[tuple[int, ...], tuple[tuple[int, ...], str]]:
    """Return what each choice in a bundle comes to: the fixes made, and the first line of the file then."""
    lines = split_lines(result.before)
    return {
        outcome.chosen: (outcome.made, make_changes(lines, outcome.changes).decode().splitlines()[1])
        for outcome in bundle.outcomes
    }


class TestStandIns:
    @pytest.fixture(autouse=True)
    def stand_ins(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fakes.install(monkeypatch)

    def test_fixes_of_lines_apart_are_chosen_apart(self) -> None:
        result = bundled(f"{fakes.NEEDLES}a = safe_a\nb = unsafe_b\nc = unfixable_c\n")
        assert [names(bundle) for bundle in result.bundles] == [[["safe_a"]], [["unsafe_b"]]]

    def test_no_fix_is_no_bundle(self) -> None:
        assert bundled(f"{fakes.NEEDLES}c = unfixable_c\n").bundles == ()

    def test_every_choice_on_one_line_is_tried(self) -> None:
        result = bundled(f"{fakes.NEEDLES}a = safe_a, unsafe_b, 1\n")
        (bundle,) = result.bundles
        assert names(bundle) == [["safe_a"], ["unsafe_b"]]
        assert made(result, bundle) == {
            (0,): ((0,), "a = good, unsafe_b, 1"),
            (1,): ((1,), "a = safe_a, good, 1"),
            (0, 1): ((0, 1), "a = good, good, 1"),
        }

    def test_what_overlaps_waits_for_the_other(self) -> None:
        # Both take the sign between them: the second fix is written anew for what the first one leaves.
        result = bundled(f"{fakes.NEEDLES}a = 1-wide_a-wide_b-1\n")
        (bundle,) = result.bundles
        assert made(result, bundle) == {
            (0,): ((0,), "a = 1+good+wide_b-1"),
            (1,): ((1,), "a = 1-wide_a+good+1"),
            (0, 1): ((0, 1), "a = 1+good+good+1"),
        }

    def test_many_on_one_line_are_made_together(self) -> None:
        result = bundled(f"{fakes.NEEDLES}a = safe_a, safe_b, safe_c, safe_d\n")
        (bundle,) = result.bundles
        assert made(result, bundle) == {(0, 1, 2, 3): ((0, 1, 2, 3), "a = good, good, good, good")}

    def test_a_comment_that_silences_nothing_is_a_fix_like_others(self) -> None:
        result = bundled(f"{fakes.NEEDLES}a = safe_a  # prepare-fix: ignore[PF101]\n")
        (bundle,) = result.bundles
        assert made(result, bundle) == {
            (0,): ((0,), "a = good  # prepare-fix: ignore[PF101]"),
            (1,): ((1,), "a = safe_a"),
            (0, 1): ((0, 1), "a = good"),
        }

    def test_fixes_that_do_not_go_together_are_one_bundle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(verify, "discover", lambda: (TwoGoods(), fakes.WordRule()))
        result = bundled(f"{fakes.NEEDLES}a = safe_a\n{FILLER}b = safe_b\n{FILLER}c = stays\n")
        (bundle,) = result.bundles
        assert {chosen: fixed for chosen, (fixed, _) in made(result, bundle).items()} == {
            (0,): (0,),
            (1,): (1,),
            (0, 1): (0,),
        }

    def test_of_others_only_those_that_do_not_go_together_are_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(verify, "discover", lambda: (OneByOne(), fakes.WordRule()))
        result = bundled(f"{fakes.NEEDLES}a = safe_a\n{FILLER}b = safe_b\n{FILLER}c = safe_c\n")
        assert [names(bundle) for bundle in result.bundles] == [[["safe_a"], ["safe_c"]], [["safe_b"]]]

    def test_two_of_many_that_do_not_go_together_are_found_in_a_few_looks(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looks = []
        examine = bundling.examine
        monkeypatch.setattr(bundling, "examine", lambda document: looks.append(document) or examine(document))
        monkeypatch.setattr(verify, "discover", lambda: (OneByOne(), fakes.WordRule()))
        others = FILLER.join(f"x{number} = safe_{number}\n" for number in range(60))
        result = bundled(f"{fakes.NEEDLES}a = safe_a\n{FILLER}{others}{FILLER}c = safe_c\n")
        assert [names(bundle) for bundle in result.bundles if len(bundle.fixes) > 1] == [[["safe_a"], ["safe_c"]]]
        assert len(result.bundles) == 61
        assert len(looks) < 25


class TwoGoods(fakes.CrashingRule):
    """Finds something once two words are replaced."""

    def check(self, trace: object) -> Iterator[Finding]:
        assert isinstance(trace, SourceText)
        if trace.text.count("good") > 1:
            yield Finding(self.code, self.name, "two", "", Span(0, 1), "two")


class OneByOne(fakes.CrashingRule):
    """Fails once the first and the last word are replaced."""

    def check(self, trace: object) -> Iterator[Finding]:
        assert isinstance(trace, SourceText)
        if "a = good" in trace.text and "c = good" in trace.text:
            raise ZeroDivisionError
        yield from ()


SEVERAL = [
    GOLDEN / "pf301_stale_object/prepared_names_never_used/before.py",
    GOLDEN / "pf301_stale_object/attributes_keep_the_raw_objects/before.py",
    GOLDEN / "pf501_attribute_through_wrapper/two_reads_in_one_statement/before.py",
    GOLDEN / "pf406_clip_every_micro_batch/by_torch/before.py",
    GOLDEN / "pf101_model_without_optimizer/argparse_text_classifier/before.py",
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("path", SEVERAL, ids=lambda path: path.parent.name)
def test_any_choice_gives_what_its_fixes_give(path: object, shape: str) -> None:
    raw = SHAPES[shape](path.read_bytes().decode())
    result = do_bytes(raw, shape, Settings(), bundle_document)
    assert result.bundles
    lines = split_lines(raw)
    options = [(bundle, outcome) for bundle in result.bundles for outcome in bundle.outcomes]
    for size in range(1, len(result.bundles) + 1):
        for chosen in combinations(options, size):
            if len({bundle.fixes for bundle, _ in chosen}) < size:
                continue
            edits = {
                edit
                for bundle, outcome in chosen
                for index in outcome.chosen
                for edit in bundle.fixes[index][0].fix.edits
            }
            expected = read_document(raw, shape).replaced([(edit.span, edit.new) for edit in sorted(edits)]).raw
            assert make_changes(lines, [change for _, outcome in chosen for change in outcome.changes]) == expected
    everything = [change for bundle in result.bundles for change in bundle.full.changes]
    fixed = do_bytes(raw, shape, Settings(unsafe_fixes=True), fix_document)
    assert make_changes(lines, everything) == fixed.after
