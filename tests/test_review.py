"""The model of a review: what is asked, what was decided, and the way back; no terminal and no file in sight."""

from __future__ import annotations

import json
from dataclasses import replace

import fakes
import pytest

from prepare_fix.edits import Edit
from prepare_fix.errors import SourceError
from prepare_fix.passes import Passes, begin
from prepare_fix.pipeline import fix_document, result_of
from prepare_fix.review import Review
from prepare_fix.settings import Settings
from prepare_fix.sources.document import document_from_text
from prepare_fix.sources.text import SourceText, Span

SAFE = Settings()
UNSAFE = Settings(unsafe_fixes=True)


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.install(monkeypatch)


def start(settings: Settings = SAFE, **texts: str) -> Review:
    def open_file(path: str) -> Passes | None:
        passes = begin(document_from_text(texts[path], path), settings)
        return passes if passes.choice is not None else None

    expected = {path: begin(document_from_text(text, path), settings).pending for path, text in texts.items()}
    return Review(expected, open_file)


def asked(review: Review) -> str:
    assert review.choice is not None
    return " ".join(finding.message.split("`")[1] for finding in review.choice.findings)


def answer(review: Review, keys: str) -> Review:
    actions = {
        "y": review.take, "n": review.leave, "a": review.take_rule, "d": review.leave_file,
        "q": review.stop, "u": review.undo,
    }  # fmt: skip
    for key in keys:
        actions[key]()
    return review


def texts(review: Review) -> dict[str, str]:
    """Return what becomes of the files that were looked at."""
    return {
        passes.path: (after.decode() if (after := result_of(passes).after) is not None else "")
        for passes in review.passes
    }


def test_fixes_come_in_order_and_those_taken_are_made() -> None:
    review = start(a="x = safe_a, safe_b\n", b="y = safe_c, stays\n")
    seen = []
    for key in "yny":
        seen.append((review.number, review.total, asked(review)))
        answer(review, key)
    assert seen == [(1, 3, "safe_a"), (2, 3, "safe_b"), (3, 3, "safe_c")]
    assert review.choice is None
    assert texts(review) == {"a": "x = good, safe_b\n", "b": "y = good, stays\n"}
    assert (review.taken, review.left, review.unopened) == (2, 1, ())


def test_a_fix_that_is_left_makes_way_for_one_that_overlaps() -> None:
    text = "c = 1 -wide_a-wide_b- 1\n"
    review = start(a=text)
    assert (asked(review), review.total) == ("wide_a", 2)
    answer(review, "n")
    assert (asked(review), review.number, review.total) == ("wide_b", 2, 2)
    answer(review, "y")
    assert review.choice is None
    assert texts(review) == {"a": "c = 1 -wide_a+good+ 1\n"}


def test_a_fix_that_overlaps_a_made_one_comes_in_the_next_pass() -> None:
    review = answer(start(a="c = 1 -wide_a-wide_b- 1, safe\n"), "y")
    assert asked(review) == "safe"
    assert review.total == 3
    answer(review, "n")
    assert (asked(review), review.number, review.total) == ("wide_b", 3, 3)
    answer(review, "y")
    assert review.choice is None, "what was left is not asked about again"
    assert texts(review) == {"a": "c = 1 +good+good+ 1, safe\n"}


def test_what_was_left_is_known_again_where_others_say_the_same() -> None:
    """Three findings with one fingerprint: two are left, and the text in front of them moves."""
    review = start(a="a = safe, 1 -wide_a-wide_b- 1, safe, safe\n")
    answer(review, "nyny")
    assert asked(review) == "wide_b"
    answer(review, "y")
    assert review.choice is None
    assert texts(review) == {"a": "a = safe, 1 +good+good+ 1, safe, good\n"}


def test_the_nearest_of_equal_findings_is_the_one_that_was_left() -> None:
    review = start(a="a = 1 -wide_a-wide_b- 1, safe, safe\n")
    answer(review, "y")  # wide_a
    answer(review, "y")  # the first safe
    answer(review, "n")  # the second one
    assert asked(review) == "wide_b"
    answer(review, "y")
    assert review.choice is None
    assert texts(review) == {"a": "a = 1 +good+good+ 1, good, safe\n"}


def test_all_of_a_rule() -> None:
    review = start(a="x = safe_a, safe_b\n", b="y = safe_c\n")
    answer(review, "na")
    assert review.choice is None
    assert texts(review) == {"a": "x = safe_a, good\n", "b": "y = good\n"}
    assert [choice.findings[0].message for _, choice in review.taken_by_rule] == ["`safe_c` is found"]
    assert (review.taken, review.left) == (2, 1)


def test_all_of_a_rule_are_only_those_as_safe_as_what_was_seen() -> None:
    files = {"a": "x = safe_a, unsafe_a, safe_b\n", "b": "y = unsafe_b, safe_c\n"}
    review = answer(start(UNSAFE, **files), "a")
    assert asked(review) == "unsafe_a"
    answer(review, "a")
    assert review.choice is None
    assert texts(review) == {"a": "x = good, good, good\n", "b": "y = good, good\n"}


def test_the_rest_of_a_file() -> None:
    review = answer(start(a="x = safe_a, safe_b, 1 -wide_a-wide_b- 1\n", b="y = safe_c\n"), "yd")
    assert asked(review) == "safe_c"
    assert (review.number, review.total, review.left) == (5, 5, 3)
    answer(review, "y")
    assert texts(review) == {"a": "x = good, safe_b, 1 -wide_a-wide_b- 1\n", "b": "y = good\n"}


def test_to_stop_makes_what_was_taken() -> None:
    review = answer(start(a="x = safe_a, safe_b\n", b="y = safe_c\n"), "yq")
    assert review.choice is None
    assert texts(review) == {"a": "x = good, safe_b\n"}
    assert review.unopened == ("b",)
    assert (review.taken, review.left, review.total - review.number + 1) == (1, 0, 2)


def test_each_decision_can_be_taken_back() -> None:
    review = start(a="x = safe_a, 1 -wide_a-wide_b- 1\n", b="y = safe_c\n")
    assert not review.undo()
    first = (asked(review), review.number, review.total)
    seen = []
    for key in "yaq":
        before = (asked(review), review.number, review.total, review.taken, review.left)
        answer(review, key)
        seen.append(before)
        if review.choice is None:
            break
    for before in reversed(seen):
        assert review.undo()
        assert (asked(review), review.number, review.total, review.taken, review.left) == before
    assert not review.undo()
    assert first == (asked(review), review.number, review.total)
    answer(review, "nnnn")
    assert set(texts(review).values()) == {""}


def test_back_into_a_file_that_was_done() -> None:
    review = answer(start(a="x = safe_a\n", b="y = safe_c\n"), "yuny")
    assert texts(review) == {"a": "", "b": "y = good\n"}


def test_a_file_with_nothing_left_to_decide_on_is_passed_over() -> None:
    opened = []

    def open_file(path: str) -> Passes | None:
        opened.append(path)
        return None

    review = Review({"a": 1, "b": 2}, open_file)
    assert review.choice is None
    assert opened == ["a", "b"]
    assert review.passes == ()
    review.stop()
    assert review.choice is None


def test_fixes_that_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def with_grudge(self: fakes.WordRule, trace: object):  # type: ignore[no-untyped-def]
        yield from check(self, trace)
        assert isinstance(trace, SourceText)
        if trace.text.count("good") == 2:
            yield replace(next(check(self, SourceText("unfixable"))), fingerprint="grudge")

    monkeypatch.setattr(fakes.WordRule, "check", with_grudge)
    text = "a = safe_a\nb = safe_b\n"
    review = answer(start(a=text), "yy")
    assert review.choice is None
    assert [(refusal.path, refusal.reason) for refusal in review.refusals] == [
        ("a", "the repair would bring PF301 stale-object on line 1, to be mended with it by hand")
    ]
    assert texts(review) == {"a": "a = good\nb = safe_b\n"}
    assert texts(answer(start(a=text), "ny")) == {"a": "a = safe_a\nb = good\n"}


def test_a_story_is_told_with_what_was_taken_before() -> None:
    review = answer(start(a="a = safe_long_name\nb = safe_b\n"), "y")
    assert review.current is not None
    source, (finding,) = review.current.story()
    assert source.text == "a = good\nb = safe_b\n"
    assert source.slice(finding.span) == "safe_b"
    assert review.choice is not None
    assert finding.fix == review.choice.fix


def test_a_story_that_what_was_taken_ends_is_told_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def none_beside_good(self: fakes.WordRule, trace: object):  # type: ignore[no-untyped-def]
        assert isinstance(trace, SourceText)
        yield from () if "good" in trace.text else check(self, trace)

    monkeypatch.setattr(fakes.WordRule, "check", none_beside_good)
    review = answer(start(a="a = safe_a\nb = safe_b\n"), "y")
    assert review.current is not None
    source, (finding,) = review.current.story()
    assert source.slice(finding.span) == "safe_b"


# --- edited fixes ----------------------------------------------------------------------------------------------------


def line(text: str, number: int, new: str) -> tuple[Edit, ...]:
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    return (Edit(Span(start, start + len(lines[number - 1])), lines[number - 1], new),)


def test_an_edited_fix_is_made_as_it_is() -> None:
    text = "a = safe_a\nb = safe_b\nc = safe_c\n"
    review = answer(start(a=text), "n")
    assert review.settle()
    review.edit(line(text, 2, "b = mine\n"))
    assert asked(review) == "safe_b"
    assert review.choice is not None
    assert review.choice.is_edited
    assert review.current is not None
    assert review.current.objection() == ""
    answer(review, "y")
    assert asked(review) == "safe_c"
    answer(review, "y")
    assert texts(review) == {"a": "a = safe_a\nb = mine\nc = good\n"}


def test_what_was_taken_before_is_made_before_a_fix_is_edited() -> None:
    text = "a = safe_a\nb = safe_b\nc = safe_c\n"
    review = answer(start(a=text), "y")
    assert review.settle()
    assert review.current is not None
    document, _ = review.current.preview
    assert document.source.text == "a = good\nb = safe_b\nc = safe_c\n"
    review.edit(line(document.source.text, 2, "b = mine\n"))
    answer(review, "yn")
    assert texts(review) == {"a": "a = good\nb = mine\nc = safe_c\n"}


def test_an_edit_that_mends_nothing_is_told_and_made_if_it_is_taken() -> None:
    text = "a = safe_a\nb = 1\n"
    review = start(a=text)
    review.edit(line(text, 2, "b = unfixable\n"))
    assert review.current is not None
    assert review.current.objection() == (
        "the repair would bring PF301 stale-object on line 2, to be mended with it by hand"
    )
    answer(review, "y")
    assert review.choice is None, "decided on, though it is still found"
    assert texts(review) == {"a": "a = safe_a\nb = unfixable\n"}


def test_an_edit_is_taken_back_like_a_decision() -> None:
    text = "a = safe_a\n"
    review = start(a=text)
    review.edit(line(text, 1, "a = mine\n"))
    answer(review, "uy")
    assert texts(review) == {"a": "a = good\n"}


def test_an_edit_that_does_not_parse_changes_nothing() -> None:
    text = "a = safe_a\n"
    review = start(a=text)
    with pytest.raises(SourceError, match="never closed"):
        review.edit(line(text, 1, "a = (\n"))
    assert not review.undo()
    assert review.choice is not None
    assert not review.choice.is_edited


def test_to_leave_an_edited_fix_leaves_it() -> None:
    text = "a = safe_a\nb = safe_b\n"
    review = start(a=text)
    review.edit(line(text, 1, "a = mine\n"))
    answer(review, "ny")
    assert texts(review) == {"a": "a = safe_a\nb = good\n"}


def test_a_fix_that_others_made_needless_is_no_longer_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def only_first(self: fakes.WordRule, trace: object):  # type: ignore[no-untyped-def]
        assert isinstance(trace, SourceText)
        findings = list(check(self, trace))
        yield from findings if "good" not in trace.text else findings[1:]

    monkeypatch.setattr(fakes.WordRule, "check", only_first)
    review = answer(start(a="a = safe_a\nb = safe_b\nc = safe_c\n"), "y")
    assert asked(review) == "safe_b"
    assert not review.settle()
    assert asked(review) == "safe_c"


# --- against fix ----------------------------------------------------------------------------------------------------

SOURCES = [
    ("a.py", "a = safe, unsafe, safe\nb = stays\nc = 1 -wide-wide- 1\n"),
    ("a.py", "c = 1 -wide_a-wide_b-wide_c- 1\r\n"),
    ("a.md", f"text\n\n- ```python\n  {fakes.NEEDLES}  x = safe, unsafe\n  ```\n"),
    ("a.ipynb", json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "!ls\nx = safe, unsafe"}]})),
]


@pytest.mark.parametrize("settings", [SAFE, UNSAFE], ids=["safe", "unsafe"])
@pytest.mark.parametrize(("path", "text"), SOURCES)
def test_all_taken_is_what_fix_makes(path: str, text: str, settings: Settings) -> None:
    review = start(settings, **{path: text})
    while review.choice is not None:
        review.take()
    (passes,) = review.passes
    assert result_of(passes) == fix_document(document_from_text(text, path), settings)
