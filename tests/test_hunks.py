"""A change in pieces: shown, put before a person in an editor, and read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.edits import Edit, apply_edits
from prepare_fix.errors import EditConflictError, SourceError
from prepare_fix.hunks import Hunk, build_draft, find_hunks, read_draft
from prepare_fix.reporting.change import format_change
from prepare_fix.reporting.screen import Screen
from prepare_fix.sources.document import document_from_text
from prepare_fix.sources.text import Part, SourceText, Span
from prepare_fix.verify import replaced

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def hunks_of(before: str, after: str) -> list[Hunk]:
    return find_hunks(SourceText(before), [Part(0, before)], [Part(0, after)])


def test_each_place_is_a_hunk_with_the_lines_around_it() -> None:
    first, second = hunks_of(TEXT, TEXT.replace("line 2\n", "new\nnewer\n").replace("line 19\n", ""))
    assert str(first) == "lines 1 to 5"
    assert [row.mark for row in first.rows] == list(" -++   ")
    assert TEXT[first.span.start : first.span.end] == "".join(first.old)
    assert str(second) == "lines 16 to 20"
    assert second.new == ["line 16\n", "line 17\n", "line 18\n", "line 20\n"]


def test_a_change_is_shown_with_marks_and_in_colour() -> None:
    hunks = hunks_of("a\tb\x1b[2J\nold\n", "a\tb\x1b[2J\nnew\n")
    assert format_change(hunks, Screen()) == "@@ lines 1 to 2 @@\n a    b\\x1b[2J\n-old\n+new\n"
    assert "\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m" in format_change(hunks, Screen(is_coloured=True))


def test_a_line_that_is_too_long_goes_on_below() -> None:
    before = "    model, loader = accelerator.prepare(model, loader)\n"
    hunks = hunks_of(before, before.replace("model,", "model, optimizer,"))
    assert format_change(hunks, Screen(width=40)) == (
        "@@ line 1 @@\n"
        "-    model, loader =\n"
        "         accelerator.prepare(model,\n"
        "         loader)\n"
        "+    model, optimizer, loader =\n"
        "         accelerator.prepare(model,\n"
        "         optimizer, loader)\n"
    )
    deep = hunks_of("", f"{' ' * 70}deep({'x' * 60})\n")
    assert max(len(line) for line in format_change(deep, Screen(width=40)).splitlines()) <= 40


def test_what_stands_on_one_line_is_told_so() -> None:
    assert [str(hunk) for hunk in hunks_of("a\n", "b\n")] == ["line 1"]
    assert [str(hunk) for hunk in hunks_of("", "b\n")] == ["line 1"]


def test_cells_of_a_notebook_are_told_apart_and_show_their_magics() -> None:
    cells = [["!pip install x\n", "x = 1"], ["y = 1"]]
    text = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    before = document_from_text(text, "a.ipynb")
    start = before.source.text.index("x = 1")
    edits = [Edit(Span(start, start + 5), "x = 1", "x = 2"), Edit(Span(start + 6, start + 11), "y = 1", "y = 2")]
    hunks = find_hunks(before.source, before.parts, replaced(before, edits).parts)
    assert format_change(hunks, Screen()) == (
        "@@ cell 1, lines 1 to 2 @@\n !pip install x\n-x = 1\n+x = 2\n@@ cell 2, line 1 @@\n-y = 1\n+y = 2\n"
    )
    draft = build_draft(hunks, "a.ipynb").replace("x = 2", "x = 3\nz = 3")
    after = replaced(before, read_draft(draft, hunks, before.source))
    assert [part.text for part in after.parts] == ["!pip install x\nx = 3\nz = 3", "y = 2"]
    with pytest.raises(SourceError, match="IPython's"):
        replaced(before, read_draft(draft.replace("pip", "conda"), hunks, before.source))


def test_a_block_of_markdown_is_shown_without_its_margin() -> None:
    before = document_from_text("- text\n\n  ```python\n  a = 1\n  b = 1\n  ```\nmore\n", "a.md")
    start = before.source.text.index("b = 1")
    edits = [Edit(Span(start, start + 5), "b = 1", "b = 2")]
    hunks = find_hunks(before.source, before.parts, replaced(before, edits).parts)
    assert format_change(hunks, Screen()) == "@@ lines 4 to 5 @@\n a = 1\n-b = 1\n+b = 2\n"
    after = replaced(before, read_draft(build_draft(hunks, "a.md") + "c = 3\n", hunks, before.source))
    assert after.raw == b"- text\n\n  ```python\n  a = 1\n  b = 2\n  c = 3\n  ```\nmore\n"


# --- drafts --------------------------------------------------------------------------------------------------------


def edited(before: str, after: str, old: str, new: str) -> str:
    """Return what ``before`` becomes where a person sees the change to ``after`` and writes ``new`` for ``old``."""
    hunks = hunks_of(before, after)
    draft = build_draft(hunks, "a.py")
    assert old in draft
    return apply_edits(before, read_draft(draft.replace(old, new), hunks, SourceText(before)))


@pytest.mark.parametrize(
    ("before", "after", "old", "new", "outcome"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "B\n", "mine\n", "a\nmine\nc\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "B\n", "", "a\nc\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "B\n", "b\n", "a\nb\nc\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "B\n", "B\n#~ a note\nmore\n", "a\nB\nmore\nc\n"),
        ("a\r\nb\nc\r\n", "a\r\nB\r\nc\r\n", "B\n", "mine\nalso\n", "a\r\nmine\r\nalso\r\nc\r\n"),
        ("a\nb", "a\nB", "B\n", "mine\n", "a\nmine"),
        ("a\nb", "A\nb", "b\n", "b\nmore\n", "A\nb\nmore"),
        ("a\nb", "A\nb", "b\n", "b\nmore\n\n", "A\nb\nmore\n"),
        ("a\nb", "A\nb", "b\n", "", "A"),
    ],
)
def test_a_draft_that_was_changed(before: str, after: str, old: str, new: str, outcome: str) -> None:
    assert edited(before, after, old, new) == outcome


def test_nothing_left_is_no_edit() -> None:
    hunks = hunks_of("a\nb\n", "a\nB\n")
    notes = "".join(line for line in build_draft(hunks, "a.py").splitlines(True) if line.startswith("#~"))
    assert read_draft(notes, hunks, SourceText("a\nb\n")) == ()


def test_the_lines_between_the_places_have_to_stay() -> None:
    hunks = hunks_of(TEXT, TEXT.replace("line 2\n", "new\n").replace("line 19\n", "new\n"))
    draft = build_draft(hunks, "a.py").replace("#~ @@ lines 16 to 20\n", "")
    with pytest.raises(EditConflictError, match="each stands for a place"):
        read_draft(draft, hunks, SourceText(TEXT))


lines = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=30)


@given(lines, lines, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_untouched_draft_is_the_change(old: list[str], new: list[str], newline: str, ends: bool) -> None:
    before, after = (newline.join(["the", "head", *some]) + newline * ends for some in (old, new))
    hunks = hunks_of(before, after)
    edits = read_draft(build_draft(hunks, "a.py"), hunks, SourceText(before))
    # What ends without a line end goes on to do so, whatever editors add.
    assert apply_edits(before, edits).rstrip("\r\n") == after.rstrip("\r\n")
    for hunk in hunks:
        assert before[hunk.span.start : hunk.span.end] == "".join(hunk.old)
