"""Code on lines of a screen, whatever its width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.reporting.excerpt import fold, pieces_of, text_of, width_of
from prepare_fix.reporting.screen import columns

CODE = "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)"
LINES = st.text(st.sampled_from("ab ,(\t\u4e16\x00\u0301"), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loader", 6),
        ("é", 1),
        ("e\u0301", 1),
        ("模型", 4),
        ("\uff21\uff76\uff9e", 2 + 1 + 1),  # fullwidth, halfwidth with its own voicing mark
        ("한글", 4),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 4),  # the same, as some file systems take it apart
        ("\u0e17\u0e35\u0e48", 1),  # Thai: two marks above a consonant, of which only one is "combining"
        ("\u0915\u094d\u0937", 2),
        ("\u2764\ufe0f 1\u20e3", 3),  # a variation selector, a mark that encloses
        ("\N{PILE OF POO}", 2),
    ],
)
def test_columns_of_a_terminal(text: str, expected: int) -> None:
    assert columns(text) == expected == width_of(pieces_of(text))


@given(LINES, st.integers(1, 20), st.integers(0, 25))
def test_folding_leaves_only_blanks_out(text: str, width: int, indent: int) -> None:
    pieces = pieces_of(text)
    folded = fold(pieces, width, indent)
    assert "".join(map(text_of, folded)).replace(" ", "") == text_of(pieces).replace(" ", "")
    for line in folded[:-1]:
        assert len(line) == 1 or width_of(line) <= width


@pytest.mark.parametrize(
    ("width", "indent", "lines"),
    [
        (80, 4, [CODE]),
        (40, 4, ["model, optimizer, loader =", "accelerator.prepare(model,", "optimizer, loader)"]),
        (26, 40, ["model, optimizer, loader =", *"accelerator.prepare(model,", *"optimizer,", *"loader)"]),
    ],
)
def test_lines_end_at_blanks(width: int, indent: int, lines: list[str]) -> None:
    assert [text_of(line) for line in fold(pieces_of(CODE), width, indent)] == lines


def test_a_line_of_megabytes_is_folded_at_once() -> None:
    # Once this took a time that grew with the square of the length: hours.
    assert len(fold(pieces_of("word " * 200_000), 80, 4)) == 13_334
