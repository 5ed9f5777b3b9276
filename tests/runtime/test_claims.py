"""No page claims more than what was measured. Needs no torch: the page of measurements is read, not made."""

from __future__ import annotations

import re
from pathlib import Path

import claims
import claims_of_training
import pytest
from catalogue import PAIRS
from claims import Shown
from table import read, read_older
from worlds import MODES

from prepare_fix.rules import Rule, discover
from prepare_fix.rules.page import split_docstring

PAGE = Path(__file__).parent.parent.parent / "docs" / "measured.md"
CLAIMS = {**claims.CLAIMS, **claims_of_training.CLAIMS}
RULES = discover()
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


@pytest.fixture(scope="module")
def seen() -> dict[tuple[str, str, str], str]:
    return read(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen_before() -> dict[tuple[str, str, str], str]:
    return read_older(PAGE.read_text(encoding="utf-8"))


def sentences(rule: Rule) -> list[str]:
    text = " ".join(split_docstring(rule)[1]["Why it matters"].split())
    return re.split(r"(?<=\.) (?=[A-Z`])", text)


def is_among(words: str, cell: str) -> bool:
    return any(part == words or part.startswith(f"{words}, else ") for part in cell.split("; "))


@each_rule
def test_each_sentence_is_measured_or_says_where_it_was_read(rule: Rule) -> None:
    known = CLAIMS.get(rule.code, {})
    assert sorted(sentences(rule)) == sorted(known), "what is new needs a pair that shows it: see claims.py"
    assert any(isinstance(item, Shown) for evidence in known.values() for item in evidence)


@each_rule
def test_what_shows_it_stands_in_the_page(
    rule: Rule, seen: dict[tuple[str, str, str], str], seen_before: dict[tuple[str, str, str], str]
) -> None:
    for sentence, evidence in CLAIMS[rule.code].items():
        for item in evidence:
            if isinstance(item, Shown):
                for mode in item.modes:
                    cell = (seen_before if item.older else seen)[item.pair, "before", mode.name]
                    assert is_among(item.words, cell), f"{sentence} ({mode.name})"


def test_page_has_the_pairs_and_modes_that_there_are(seen: dict[tuple[str, str, str], str]) -> None:
    sides = {True: ("before", "after"), False: ("before",)}
    wanted = {(pair.name, side, mode.name) for pair in PAIRS for side in sides[pair.fixed] for mode in pair.modes}
    assert set(seen) == wanted
    assert {mode for _, _, mode in seen} == set(MODES)


def test_each_script_of_the_folder_is_run() -> None:
    stems = {path.stem for path in (Path(__file__).parent / "cases").glob("pf*.py")}
    assert stems == {pair.name for pair in PAIRS}
