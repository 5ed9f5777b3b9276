"""Safe means safe: on one process, without accumulation and in fp32, a safe fix changes no bit of what is learned.

Unless the script crashes as it is: then it has to get further. The scripts are the golden ones that can run.
"""

from __future__ import annotations

from typing import Any

import pytest
from catalogue import PAIRS
from goldens import find_goldens, write_player
from measuring import Measured, run_jobs
from worlds import ONE

from prepare_fix import fix_source

pytestmark = pytest.mark.runtime
GOLDENS = {name: path for name, path in find_goldens() if fix_source(path.read_bytes().decode()).fixed}


# What draws random numbers changes places there: the weights begin otherwise, with the same distribution.
OTHER_RANDOM_NUMBERS = {"pf301/iterator_taken_too_early"}


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    """What each golden script ends with as it is, and with its safe fixes made."""
    folder = tmp_path_factory.mktemp("goldens")
    jobs = {}
    for name, path in GOLDENS.items():
        text = path.read_bytes()
        own = folder / name
        own.mkdir(parents=True)
        for side, content in (("before", text), ("after", fix_source(text.decode()).text.encode())):
            script = own / f"{side}.py"
            script.write_bytes(content)
            jobs[name, side] = (write_player(name, script, own), ONE)
    reports = run_jobs(jobs, folder / "runs")["reports"]
    return {key: report["ranks"][0] for key, report in reports.items()}


@pytest.mark.parametrize("name", sorted(GOLDENS))
def test_safe_fix_of_a_golden_script_changes_no_bit(name: str, played: dict[tuple[str, str], dict[str, Any]]) -> None:
    before, after = played[name, "before"], played[name, "after"]
    assert "failed" not in after
    assert after["parameters"]
    if "failed" not in before:
        assert (before["parameters"] == after["parameters"]) == (name not in OTHER_RANDOM_NUMBERS)


SAFE_PAIRS = [pair.name for pair in PAIRS if fix_source(pair.path.read_text(encoding="utf-8")).fixed]


@pytest.mark.parametrize("name", SAFE_PAIRS)
def test_safe_fix_of_a_pair_changes_no_bit(name: str, measured: Measured) -> None:
    before, after = (measured.reports[name, side, ONE.name]["ranks"][0] for side in ("before", "after"))
    assert "error" in before or before["parameters"] == after["parameters"]


def test_most_golden_scripts_with_a_safe_fix_and_no_other_library_run() -> None:
    assert len(GOLDENS) >= 40
