"""From scripts to words: lets ``fix`` write the repaired files, runs both, and says what was seen."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from catalogue import Pair
from oracle import BATCH, Course, follow, wrong_answers
from worlds import MODES, ONE, ONE_ACCUMULATING, SCALER, TWO, TWO_ACCUMULATING, Mode

RUNNER = Path(__file__).parent / "worlds.py"
# Floats of 32 bits against Python's; what is told apart here differs in the second digit.
CLOSE = 1e-5
HUGE = 1e6
# What a rank says when the other one has failed before it.
FOLLOWED = re.compile(r"closed by peer|reset by peer", re.IGNORECASE)
# What ends a wait that has no end: the patience of the process group, half an hour if nobody sets it.
WAITED = re.compile(r"timed out waiting", re.IGNORECASE)
RIGHT = "right"

SIDES = ("before", "after")
ALL_MODES = frozenset(MODES.values())
PLAIN_MODES = frozenset({ONE, ONE_ACCUMULATING, TWO, TWO_ACCUMULATING})
# Releases before FSDP2 have these in common with the newest; their FSDP1 wants a GPU.
OLDER_MODES = PLAIN_MODES | {SCALER}

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Written:
    """A script and what ``fix`` made of it."""

    before: Path
    after: Path


@dataclass(frozen=True)
class Measured:
    """``seen`` says, by name of the pair, side and name of the mode, what happened; ``reports`` are the raw ones."""

    versions: dict[str, str]
    seen: dict[Key, str]
    reports: dict[Key, dict[str, Any]]


def write_scripts(pairs: Sequence[Pair], folder: Path) -> dict[str, Written]:
    """Copy each script into ``folder``, and beside it another copy for ``fix``, which makes its unsafe fixes too."""
    written = {}
    for pair in pairs:
        before, after = (folder / f"{pair.name}.{side}.py" for side in SIDES)
        for path in (before, after):
            path.write_bytes(pair.path.read_bytes())
        written[pair.name] = Written(before, after)
    fix([each.after for each in written.values()], folder, "--unsafe-fixes")
    return written


def fix(paths: Sequence[Path], folder: Path, *options: str) -> None:
    """Let the program mend ``paths`` where they are, as users do; its journal goes to ``folder``."""
    command = [sys.executable, "-m", "prepare_fix", "fix", "--isolated", "--exit-zero", *options, *map(str, paths)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )
    if done.returncode:
        raise RuntimeError(f"fix ended with status {done.returncode}:\n{done.stdout}{done.stderr}")


def run_jobs(jobs: dict[Any, tuple[Path, Mode]], folder: Path, library: Path | None = None) -> dict[str, Any]:
    """Run the scripts in their modes and return the reports by the keys of ``jobs``, and the versions.

    ``library`` is a folder with another accelerate than the one that is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    told = []
    for number, (script, mode) in enumerate(jobs.values()):
        own = folder / str(number)
        own.mkdir()
        told.append({"script": str(script), "mode": mode.name, "folder": str(own)})
    (folder / "jobs.json").write_text(json.dumps(told), encoding="utf-8")
    command = [sys.executable, str(RUNNER), str(folder / "jobs.json"), str(folder / "results.json")]
    path = {} if library is None else {"PYTHONPATH": str(library)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **path})
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {"versions": results["versions"], "reports": dict(zip(jobs, results["results"], strict=True))}


def measure(
    pairs: Sequence[Pair], folder: Path, library: Path | None = None, modes: Container[Mode] = ALL_MODES
) -> Measured:
    """Run all pairs in those of their modes that are among ``modes``, before and after the fix."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts = write_scripts(pairs, folder)
    jobs: dict[Key, tuple[Path, Mode]] = {}
    for pair in pairs:
        for side in SIDES if pair.fixed else SIDES[:1]:
            script = getattr(scripts[pair.name], side)
            jobs |= {(pair.name, side, mode.name): (script, mode) for mode in pair.modes if mode in modes}
    results = run_jobs(jobs, folder / "runs", library)
    by_name = {pair.name: pair for pair in pairs}
    seen = {key: describe(by_name[key[0]], mode, results["reports"][key]) for key, (_, mode) in jobs.items()}
    return Measured(results["versions"], seen, results["reports"])


def describe(pair: Pair, mode: Mode, report: dict[str, Any]) -> str:
    """Return in a few words what a run came to, "right" where there is nothing to say."""
    ranks = report["ranks"]
    errors = [rank for rank in ranks if "error" in rank]
    if report["hung"]:
        return "hangs"
    if errors:
        return describe_errors(errors, len(ranks))
    if not all(ranks):
        return "ends without a report"
    course = replace(pair.course, processes=mode.processes, accumulation=mode.accumulation)
    if course.shuffled:
        course = replace(course, order=order_taken([rank["taken"] for rank in ranks]))
    data = describe_data(course, [rank["taken"] for rank in ranks])
    words = [
        describe_parameters(
            course, [rank["parameters"] for rank in ranks], comparable=not course.shuffled or data == RIGHT
        ),
        data,
        describe_rate(course, [rank.get("rate") for rank in ranks]),
        *(describe_fact(ranks, name, *fact) for name, fact in pair.facts.items()),
    ]
    faults = [word for word in words if word != RIGHT]
    if not faults:
        return RIGHT
    return "; ".join(["right parameters", *faults] if words[0] == RIGHT and not course.shuffled else faults)


def describe_errors(errors: list[dict[str, Any]], ranks: int) -> str:
    first = [error for error in errors if not FOLLOWED.search(error["message"])] or errors
    if all(WAITED.search(error["message"]) for error in first):
        return "hangs"
    kinds = sorted({error["error"] for error in first})
    return " and ".join(kinds) + ("" if len(first) == ranks else f" on {len(first)} of {ranks} ranks")


def order_taken(ranks: list[list[int]]) -> tuple[int, ...]:
    """Return the samples in the order that one process would have taken them in, batch by batch from all ranks."""
    batches = [[rank[start : start + BATCH] for start in range(0, len(rank), BATCH)] for rank in ranks]
    return tuple(index for parts in zip(*batches, strict=True) for part in parts for index in part)


def are_close(some: Sequence[float], others: Sequence[float]) -> bool:
    return len(some) == len(others) and all(
        math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(some, others, strict=True)
    )


def describe_parameters(course: Course, ranks: list[list[float]], comparable: bool = True) -> str:
    if not all(math.isfinite(number) for rank in ranks for number in rank):
        return "parameters are NaN"
    if any(abs(number) > HUGE for rank in ranks for number in rank):
        return "parameters explode"
    if not all(are_close(ranks[0], rank) for rank in ranks):
        return "ranks diverge"
    if not comparable or are_close(ranks[0], follow(course)[0]):
        return RIGHT
    answers = wrong_answers(course)
    return next((words for words, wrong in answers.items() if are_close(ranks[0], wrong)), "wrong parameters")


def describe_data(course: Course, ranks: list[list[int]]) -> str:
    """Say whether the ranks have shared out the samples, each taken as often as there are epochs."""
    whole = Counter({index: course.epochs for index in range(course.samples)})
    if len(ranks) > 1 and all(Counter(rank) == whole for rank in ranks):
        return "every rank sees all the data"
    missing = len(set(whole) - {index for rank in ranks for index in rank})
    return f"{missing} of {course.samples} samples are never used" if missing else RIGHT


def describe_rate(course: Course, ranks: list[float | None]) -> str:
    wanted = follow(course)[1]
    rate = ranks[0]
    if rate is None or math.isclose(rate, wanted, rel_tol=CLOSE, abs_tol=CLOSE):
        return RIGHT
    return f"the rate ends at {rate:.4g} instead of {wanted:.4g}"


def describe_fact(ranks: list[dict[str, Any]], name: str, right: object, otherwise: str) -> str:
    return RIGHT if all(rank.get(name) == right for rank in ranks) else otherwise
