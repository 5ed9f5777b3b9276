"""Safe means safe: on one process, without accumulation and in fp32, a safe fix changes no bit of what is learned."""

from __future__ import annotations

import pytest
from catalogue import PAIRS
from measuring import Measured
from safety import CRASHED, SAME, not_run, play_goldens, with_a_safe_fix
from worlds import ONE

from prepare_fix import fix_source

RUN = sorted(set(with_a_safe_fix()) - set(not_run()))
SAFE_PAIRS = [pair.name for pair in PAIRS if fix_source(pair.path.read_text(encoding="utf-8")).fixed]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play_goldens(tmp_path_factory.mktemp("goldens"))


@pytest.mark.runtime
@pytest.mark.parametrize("name", RUN)
def test_safe_fix_of_a_golden_script_changes_no_bit(name: str, played: dict[str, str]) -> None:
    assert played[name] in {SAME, CRASHED}


@pytest.mark.runtime
@pytest.mark.parametrize("name", SAFE_PAIRS)
def test_safe_fix_of_a_pair_changes_no_bit(name: str, measured: Measured) -> None:
    before, after = (measured.reports[name, side, ONE.name]["ranks"][0] for side in ("before", "after"))
    assert "error" in before or before["parameters"] == after["parameters"]


def test_what_does_not_run_needs_a_library_that_is_not_here() -> None:
    uncalled = [name for name, reason in not_run().items() if not reason.startswith("imports ")]
    assert uncalled == [], "say in goldens.py how they are called"
    assert len(RUN) > len(not_run())
