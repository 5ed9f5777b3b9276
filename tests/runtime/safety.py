"""Safe means safe: what the golden scripts learn on one process, as they are and with their safe fixes made.

Without accumulation and in fp32 every parameter of every optimizer is the same to the bit, unless the script crashes as
it is: then it has to get further.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

from goldens import find_goldens, reason_against, write_player
from measuring import SIDES, fix, run_jobs
from worlds import ONE

from prepare_fix import fix_source

SAME, CRASHED = "the same bits", "crashes before, runs after"
HEADING = "## Safe fixes, to the bit"


@cache
def with_a_safe_fix() -> dict[str, Path]:
    """Return the golden scripts in which ``fix`` by itself mends something, by name."""
    return {name: path for name, path in find_goldens() if fix_source(path.read_bytes().decode()).fixed}


@cache
def not_run() -> dict[str, str]:
    """Return why those of them can't run that can't, by name."""
    reasons = {name: reason_against(name, path) for name, path in with_a_safe_fix().items()}
    return {name: reason for name, reason in reasons.items() if reason}


def play_goldens(folder: Path) -> dict[str, str]:
    """Run those that can, before and after, and return by name what they come to."""
    scripts = {}
    for name, path in with_a_safe_fix().items():
        if name not in not_run():
            own = folder / name
            own.mkdir(parents=True)
            for side in SIDES:
                scripts[name, side] = own / f"{side}.py"
                scripts[name, side].write_bytes(path.read_bytes())
    fix([script for (_, side), script in scripts.items() if side == "after"], folder)
    jobs = {key: (write_player(key[0], script, script.parent), ONE) for key, script in scripts.items()}
    reports = run_jobs(jobs, folder / "runs")["reports"]
    ends = {key: report["ranks"][0] for key, report in reports.items()}
    return {name: compare(ends[name, "before"], ends[name, "after"]) for name, side in ends if side == "before"}


def compare(before: dict[str, Any], after: dict[str, Any]) -> str:
    if "failed" in after or not after["parameters"]:
        return f"does not run after: {after.get('failed', 'no optimizer')}"
    if "failed" in before:
        return CRASHED
    return SAME if before["parameters"] == after["parameters"] else "other bits"


def render_safety(outcomes: Mapping[str, str]) -> str:
    """Return the section of the page about the safe fixes of the golden scripts."""
    ends = [f"- {words}: {count}\n" for words, count in sorted(Counter(outcomes.values()).items())]
    libraries = sorted({name for reason in not_run().values() for name in reason.removeprefix("imports ").split(", ")})
    told = (
        "The scripts in `tests/golden` in which `prepare-fix fix` mends something by safe fixes alone run on one"
        " process without accumulation, as they were and as they were mended, and all parameters of all optimizers are"
        " compared: a test fails where these are not the same to the bit, unless the script crashed before and runs"
        f" afterwards. When this page was written, {len(outcomes)} of {len(with_a_safe_fix())} ran."
    )
    others = f"The others import more than torch and what comes with accelerate: {', '.join(libraries)}."
    return f"\n{HEADING}\n\n{fill(told, 120)}\n\n{''.join(ends)}\n{fill(others, 120)}\n"
