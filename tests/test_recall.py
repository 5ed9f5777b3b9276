"""Plants mistakes into correct scripts, and counts what comes back to the same object flow.

A fixed script counts as repaired when its facts (``object_flow``) are those of the script that a person would write.
What was right in the mutant has to be right afterwards, whatever else is mended.

A sample is taken, the same in each run. ``PREPARE_FIX_RECALL=1000`` takes up to a thousand mutants of each kind.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutants import Mutant, Script, mutants_of
from object_flow import facts_of

from prepare_fix import Settings, check_source, fix_source

GOLDEN = Path(__file__).parent / "golden"
USUAL = 12
PER_KIND = int(os.environ.get("PREPARE_FIX_RECALL", USUAL))
# Rare kinds would lead through all scripts.
SCRIPTS_READ = 120 if PER_KIND == USUAL else 10_000
WANTED = 0.95


@dataclass(frozen=True)
class Outcome:
    mutant: Mutant
    verdict: str
    """``safe`` or ``unsafe``: repaired by such fixes; ``reported``, ``silent`` or ``damaged``."""
    fixed: str


def correct_scripts() -> Iterator[Script]:
    """Yield our own correct scripts, and those of the accelerate package."""
    for path in sorted((GOLDEN / "no_change").glob("*.py")):
        text = path.read_bytes().decode("utf-8")
        if text.startswith("# Right:"):
            yield Script(path.stem, text)
    for folder in sorted({path.parent for path in GOLDEN.glob("pf*/*/after*.py")}):
        unsafe = folder / "after_unsafe.py"
        path = unsafe if unsafe.exists() else folder / "after.py"
        yield Script(f"{folder.parent.name[:5]}/{folder.name}", path.read_bytes().decode("utf-8"))
    spec = importlib.util.find_spec("accelerate")
    if spec and spec.origin:
        for path in sorted((Path(spec.origin).parent / "test_utils").rglob("*.py")):
            yield Script(f"accelerate/{path.stem}", path.read_bytes().decode("utf-8"))


def by_chance(text: str) -> int:
    """Return a number that says nothing about ``text``, the same in each run."""
    return zlib.crc32(text.encode())


@cache
def sample() -> tuple[Mutant, ...]:
    """Return up to ``PER_KIND`` mutants of each kind in which something is wrong, from as many scripts as it takes."""
    scripts = sorted(correct_scripts(), key=lambda script: by_chance(script.text))
    chosen: dict[str, list[Mutant]] = {}
    for script in scripts[:SCRIPTS_READ]:
        if ".backward(" not in script.text or check_source(script.text):
            continue
        for mutant in sorted(mutants_of(script), key=lambda mutant: by_chance(mutant.text)):
            same = chosen.setdefault(mutant.kind, [])
            if len(same) < PER_KIND and facts_of(mutant.text) != facts_of(mutant.wanted):
                same.append(mutant)
    return tuple(mutant for _, same in sorted(chosen.items()) for mutant in same)


@cache
def outcomes() -> tuple[Outcome, ...]:
    return tuple(map(repair, sample()))


def repair(mutant: Mutant) -> Outcome:
    """Make the safe fixes, then the unsafe ones, and compare the objects of what comes out."""
    wanted = facts_of(mutant.wanted)
    text = mutant.text
    for verdict, settings in (("safe", Settings()), ("unsafe", Settings(unsafe_fixes=True))):
        text = fix_source(mutant.text, settings=settings).text
        facts = facts_of(text)
        if facts == wanted:
            return Outcome(mutant, verdict, text)
        if is_damaged(mutant, text):
            return Outcome(mutant, "damaged", text)
    return Outcome(mutant, "reported" if check_source(mutant.text) else "silent", text)


def is_damaged(mutant: Mutant, fixed: str) -> bool:
    """Return whether something that was right is so no longer, or something came that neither side knows."""
    before, after, wanted = facts_of(mutant.text), facts_of(fixed), facts_of(mutant.wanted)
    return not (before & wanted) <= after <= (before | wanted)


def tell(outcomes: tuple[Outcome, ...]) -> str:
    """Return one line for each kind and outcome, with the scripts of those that were not repaired."""
    counts = Counter((each.mutant.kind, "undecidable" if each.mutant.doubt else each.verdict) for each in outcomes)
    lines = [f"{count:4} {kind}: {verdict}" for (kind, verdict), count in sorted(counts.items())]
    left = [each for each in outcomes if not each.mutant.doubt and each.verdict not in {"safe", "unsafe"}]
    lines += [f"{each.mutant.kind}, {each.verdict}: {each.mutant.script}" for each in left]
    return "\n".join(lines)


def test_each_kind_of_mistake_is_planted() -> None:
    kinds = Counter(mutant.kind for mutant in sample())
    assert len(kinds) >= 20
    assert min(kinds.values()) >= 2
    for mutant in sample():
        ast.parse(mutant.text)


def test_what_can_be_decided_is_repaired() -> None:
    decidable = [each for each in outcomes() if not each.mutant.doubt]
    repaired = [each for each in decidable if each.verdict in {"safe", "unsafe"}]
    told = tell(outcomes())
    print(f"{told}\n{len(repaired)} of {len(decidable)} repaired, {len(outcomes())} planted")
    assert len(repaired) >= WANTED * len(decidable), told


def test_nothing_is_damaged() -> None:
    damaged = [each for each in outcomes() if each.verdict == "damaged"]
    assert [(each.mutant.kind, each.mutant.script) for each in damaged] == []
    for each in outcomes():
        ast.parse(each.fixed)
