"""Each pair runs: the script as it was found shows its fault, the file that ``fix`` wrote comes to what is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from catalogue import PAIRS, Pair
from claims import CLAIMS as CLAIMS_OF_PREPARE
from claims_of_training import CLAIMS as CLAIMS_OF_TRAINING
from measuring import OLDER_MODES, PLAIN_MODES, RIGHT, Measured, measure
from table import differences, read, render_differences
from worlds import TWO_ACCUMULATING, environment

from prepare_fix import Settings, check_source, fix_source

pytestmark = pytest.mark.runtime
CLAIMS = {**CLAIMS_OF_PREPARE, **CLAIMS_OF_TRAINING}
PAGE = (Path(__file__).parent.parent.parent / "docs" / "measured.md").read_text(encoding="utf-8")
# A folder with the oldest accelerate that is looked after: pip install --target FOLDER --no-deps accelerate==0.25.0
OLDER = os.environ.get("PREPARE_FIX_OLDER_ACCELERATE", "")
UNSAFE = Settings(unsafe_fixes=True)
SILENT = [pair for pair in PAIRS if any("message" in sentence for sentence in CLAIMS[pair.rule])]
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
    # What the fix cannot mend is no fault of the script.
    modes = [mode for mode in pair.modes if mode not in pair.unmended]
    seen = {mode.name: measured.seen[pair.name, "before", mode.name] for mode in modes}
    assert (set(seen.values()) == {RIGHT}) == pair.harmless, seen


@each_mended_pair
def test_repaired_script_is_right_in_every_mode(pair: Pair, measured: Measured) -> None:
    seen = {mode: measured.seen[pair.name, "after", mode.name] for mode in pair.modes}
    assert seen == {mode: pair.unmended.get(mode, RIGHT) for mode in pair.modes}


@pytest.mark.parametrize("pair", SILENT, ids=[pair.name for pair in SILENT])
def test_it_goes_wrong_without_a_message(pair: Pair, measured: Measured) -> None:
    reports = [(key, report) for key, report in measured.reports.items() if key[0] == pair.name]
    plain = [(key, report) for key, report in reports if key[2] in {mode.name for mode in PLAIN_MODES}]
    ended = [(key, report) for key, report in plain if not any("error" in rank for rank in report["ranks"])]
    assert {key: report["said"] for key, report in ended if not report["hung"] and report["said"]} == {}


def test_torchrun_makes_the_same_world(measured: Measured, tmp_path: Path) -> None:
    (pair,) = (pair for pair in PAIRS if pair.name == "pf102_optimizer_alone")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(pair.path)]
    # Neither rank nor port: those are what the launcher gives.
    given = environment(replace(TWO_ACCUMULATING, processes=1), 0, str(tmp_path))
    subprocess.run(command, env={**os.environ, **given}, check=True, capture_output=True, cwd=tmp_path)
    reports = [json.loads((tmp_path / f"report-{rank}.json").read_text(encoding="utf-8")) for rank in range(2)]
    assert reports == measured.reports[pair.name, "before", TWO_ACCUMULATING.name]["ranks"]


def test_page_says_what_was_seen(measured: Measured) -> None:
    assert read(PAGE) == measured.seen, "run scripts/measure.py, and look at what has changed"


@pytest.mark.skipif(not OLDER, reason="PREPARE_FIX_OLDER_ACCELERATE names no folder with an older accelerate")
def test_older_release_differs_as_the_page_says(measured: Measured, tmp_path: Path) -> None:
    older = measure(PAIRS, tmp_path, Path(OLDER), OLDER_MODES)
    assert older.versions["accelerate"] != measured.versions["accelerate"]
    assert render_differences(measured, older) in PAGE, list(differences(measured, older))
