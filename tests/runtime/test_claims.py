"""No page claims more than what was measured. Needs no torch: the page of measurements is read, not made."""

from __future__ import annotations

import re
from pathlib import Path

import claims
import claims_of_training
import pytest
from catalogue import PAIRS
from claims import Evidence, Shown
from claims_of_messages import MESSAGES
from table import read, read_older
from worlds import MODES

from prepare_fix import check_source
from prepare_fix.rules import Rule, discover
from prepare_fix.rules.page import kinds_of_fix, split_docstring

PAGE = Path(__file__).parent.parent.parent / "docs" / "measured.md"
GOLDEN = Path(__file__).parent.parent / "golden"
CLAIMS = {**claims.CLAIMS, **claims_of_training.CLAIMS}
RULES = discover()
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


Seen = dict[tuple[str, str, str], str]


@pytest.fixture(scope="module")
def seen() -> Seen:
    return read(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen_before() -> Seen:
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


def check_evidence(sentence: str, evidence: Evidence, seen: Seen, seen_before: Seen) -> None:
    for item in evidence:
        if isinstance(item, Shown):
            for mode in item.modes:
                cell = (seen_before if item.older else seen)[item.pair, "before", mode.name]
                assert is_among(item.words, cell), f"{sentence} ({mode.name})"


@each_rule
def test_what_shows_it_stands_in_the_page(rule: Rule, seen: Seen, seen_before: Seen) -> None:
    for sentence, evidence in [*CLAIMS[rule.code].items(), *MESSAGES[rule.code].items()]:
        check_evidence(sentence, evidence, seen, seen_before)


def masked(consequence: str) -> str:
    """Return the words of a message without the code and the line numbers of its script."""
    return re.sub(r"line \d+", "line _", re.sub(r"`[^`]*`", "`_`", consequence))


def test_each_message_is_measured() -> None:
    said: dict[str, set[str]] = {}
    scripts = [pair.path for pair in PAIRS] + sorted(GOLDEN.glob("pf*/*/before.py"))
    for finding in (each for path in scripts for each in check_source(path.read_bytes().decode())):
        said.setdefault(finding.rule, set()).add(masked(finding.consequence))
    assert said == {code: set(messages) for code, messages in MESSAGES.items()}


def test_page_has_the_pairs_and_modes_that_there_are(seen: Seen) -> None:
    sides = {True: ("before", "after"), False: ("before",)}
    wanted = {(pair.name, side, mode.name) for pair in PAIRS for side in sides[pair.fixed] for mode in pair.modes}
    assert set(seen) == wanted
    assert {mode for _, _, mode in seen} == set(MODES)


def test_each_rule_with_a_fix_has_a_pair_that_is_mended() -> None:
    assert {pair.rule for pair in PAIRS if pair.fixed} == {rule.code for rule in RULES if kinds_of_fix(rule) != "none"}


def test_each_script_of_the_folder_is_run() -> None:
    stems = {path.stem for path in (Path(__file__).parent / "cases").glob("pf*.py")}
    assert stems == {pair.name for pair in PAIRS}
