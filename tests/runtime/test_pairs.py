"""Each pair runs: the script as it was found shows its fault, the file that ``fix`` wrote comes to what is right."""

from __future__ import annotations

import pytest
from catalogue import PAIRS, Pair
from measuring import RIGHT, Measured

from prepare_fix import Settings, check_source, fix_source

pytestmark = pytest.mark.runtime
UNSAFE = Settings(unsafe_fixes=True)
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
each_mended_pair = pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if pair.fixed], ids=[pair.name for pair in PAIRS if pair.fixed]
)


@each_pair
def test_only_the_rule_of_the_name_finds_something(pair: Pair) -> None:
    text = pair.path.read_text(encoding="utf-8")
    assert {finding.rule for finding in check_source(text)} == {pair.rule}
    mended = fix_source(text, settings=UNSAFE)
    assert bool(mended.fixed) == pair.fixed
    assert not (pair.fixed and mended.remaining)


@each_pair
def test_fault_shows_before(pair: Pair, measured: Measured) -> None:
    seen = {mode.name: measured.seen[pair.name, "before", mode.name] for mode in pair.modes}
    assert (set(seen.values()) == {RIGHT}) == pair.harmless, seen


@each_mended_pair
def test_repaired_script_is_right_in_every_mode(pair: Pair, measured: Measured) -> None:
    seen = {mode: measured.seen[pair.name, "after", mode.name] for mode in pair.modes}
    assert seen == {mode: pair.unmended.get(mode, RIGHT) for mode in pair.modes}
