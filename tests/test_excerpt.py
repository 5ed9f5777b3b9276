"""Code on lines of a screen, whatever its width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.reporting.excerpt import fold, pieces_of, text_of, width_of

CODE = "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)"
LINES = st.text(st.sampled_from("ab ,(\t\u4e16\x00\u0301"), max_size=40)


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
