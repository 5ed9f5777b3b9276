"""Edits: applied all or none, and only to the text they were made for."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.edits import Edit, apply_edits, combine_edits, find_conflict, find_origin
from prepare_fix.errors import EditConflictError
from prepare_fix.sources.text import Span

TEXT = "abcdefgh"


def edit(start: int, end: int, new: str) -> Edit:
    return Edit(Span(start, end), TEXT[start:end], new)


def test_edits_are_made_in_any_order() -> None:
    edits = [edit(0, 1, "A"), edit(1, 1, "<"), edit(3, 5, ""), edit(8, 8, ">")]
    assert {apply_edits(TEXT, order) for order in permutations(edits)} == {"A<bcfgh>"}
    assert apply_edits(TEXT, []) == TEXT


@pytest.mark.parametrize("edits", [[edit(0, 3, ""), edit(2, 4, "")], [edit(0, 3, ""), edit(1, 1, "x")]])
def test_overlapping_edits_are_refused(edits: list[Edit]) -> None:
    assert find_conflict(edits[:1], edits[1:])
    with pytest.raises(EditConflictError, match="overlap at offset"):
        apply_edits(TEXT, edits)


def test_an_edit_for_another_text_is_refused() -> None:
    with pytest.raises(EditConflictError, match="offset 2 is not what"):
        apply_edits("abXdefgh", [edit(2, 3, "z")])


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        (edit(0, 2, ""), edit(2, 4, ""), False),
        (edit(0, 2, ""), edit(1, 4, ""), True),
        (edit(2, 2, "x"), edit(2, 2, "y"), True),
        (edit(2, 2, "x"), edit(2, 4, "y"), True),
        (edit(2, 2, "x"), edit(0, 2, "y"), False),
        (edit(2, 2, "x"), edit(1, 3, "y"), True),
    ],
)
def test_conflicts(one: Edit, other: Edit, conflict: bool) -> None:
    assert find_conflict([one], [other]) is conflict
    assert find_conflict([other], [one]) is conflict


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.text("xy", max_size=2)), max_size=4))
def test_edits_without_conflict_can_be_applied_together(raw: list[tuple[int, int, str]]) -> None:
    edits = [edit(min(a, b), max(a, b), new) for a, b, new in raw]
    chosen: list[Edit] = []
    for candidate in edits:
        if not find_conflict([candidate], chosen):
            chosen.append(candidate)
    result = apply_edits(TEXT, chosen)
    removed = sum(len(edit.old) for edit in chosen)
    assert len(result) == len(TEXT) - removed + sum(len(edit.new) for edit in chosen)
    kept = [(offset, char) for offset, char in enumerate(result) if char not in "xy"]
    assert all(TEXT[find_origin(offset, chosen)] == char for offset, char in kept)


def test_what_an_edit_brings_comes_from_where_it_is_made() -> None:
    edits = [edit(3, 5, "xyz"), edit(1, 1, "<>")]
    assert apply_edits(TEXT, edits) == "a<>bcxyzfgh"
    assert [find_origin(offset, edits) for offset in range(12)] == [0, 1, 1, 1, 2, 3, 3, 3, 5, 6, 7, 8]


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.text("xy", max_size=2)), max_size=4),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.text("vw", max_size=2)), max_size=3),
)
def test_combined_edits_do_what_both_do_one_after_the_other(
    first: list[tuple[int, int, str]], second: list[tuple[int, int, str]]
) -> None:
    chosen: list[Edit] = []
    for a, b, new in first:
        candidate = edit(min(a, b), max(a, b), new)
        if not find_conflict([candidate], chosen):
            chosen.append(candidate)
    between = apply_edits(TEXT, chosen)
    later: list[Edit] = []
    for a, b, new in second:
        start, end = min(a, b, len(between)), min(max(a, b), len(between))
        candidate = Edit(Span(start, end), between[start:end], new)
        if not find_conflict([candidate], later):
            later.append(candidate)
    try:
        combined = combine_edits(chosen, later)
    except EditConflictError:
        return
    assert apply_edits(TEXT, combined) == apply_edits(between, later)


def test_edits_away_from_those_before_them_are_moved() -> None:
    first = [edit(1, 2, "xyz"), edit(5, 5, "<>")]
    assert apply_edits(TEXT, first) == "axyzcde<>fgh"
    later = [Edit(Span(0, 0), "", "A"), Edit(Span(5, 6), "d", ""), Edit(Span(10, 11), "g", "G")]
    assert combine_edits(first, later) == (
        edit(0, 0, "A"),
        edit(1, 2, "xyz"),
        edit(3, 4, ""),
        edit(5, 5, "<>"),
        edit(6, 7, "G"),
    )


@pytest.mark.parametrize("span", [(1, 4), (2, 3), (0, 2), (3, 6), (4, 5), (1, 1)])
def test_edits_of_what_was_just_written_are_refused(span: tuple[int, int]) -> None:
    between = "axyzcdefgh"
    with pytest.raises(EditConflictError, match="overlap at offset 1"):
        combine_edits([edit(1, 2, "xyz")], [Edit(Span(*span), between[span[0] : span[1]], "?")])
