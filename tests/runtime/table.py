"""The page of measurements: written from a run, read again by the tests that hold claims to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from catalogue import PAIRS, Pair
from measuring import SIDES, Key, Measured

from prepare_fix.rules import discover

INTRODUCTION = """\
# What was measured

Written by `scripts/measure.py`; a test runs everything again and fails where this page says something else.

Each script fits a line to 16 samples in batches of 2 by gradient descent. It runs as it was found, and as
`prepare-fix fix --unsafe-fixes` wrote it. *right* means: all ranks end with the parameters that plain Python computes
for the same course (processes, accumulation, schedule, clipping), they have shared out all the samples among them, and
the learning rate and what the script saves are as they should be. Wrong results are compared with named mistakes in
the same arithmetic, so the words are matched numbers.

Processes talk over gloo on CPU. What CPU does not offer is put in by hand, and what follows is Accelerate's own code:
FSDP2, and FSDP1 with `use_orig_params=False`, are switched on after start-up; the *fp16 scaler* is a `GradScaler` that
scales while the arithmetic stays in fp32. Not run: GPUs, XLA, DeepSpeed, Megatron-LM.

Where the page of a rule says that something goes wrong without a message, its scripts that came to their end in one of
the first four modes printed nothing and warned about nothing.
"""
_HEADING = re.compile(r"### `(\w+)`")
_DIFFERENCE = re.compile(r"- `(\w+)` (\w+), (.+?): (.+) \(newest: (.+)\)")


def render(newest: Measured, older: Sequence[Measured], safety: str) -> str:
    """Return the page: of ``older`` releases what differs from the newest, and the section about ``safety``."""
    names = {rule.code: rule.name for rule in discover()}
    parts = [INTRODUCTION, f"\nMeasured with {told(newest.versions)}.\n"]
    for code, pairs in groupby(PAIRS, key=lambda pair: pair.rule):
        parts.append(f"\n## {code} {names[code]}\n")
        parts += [render_pair(pair, newest) for pair in pairs]
    parts += [safety, *(render_differences(newest, measured) for measured in older)]
    return "".join(parts)


def told(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def render_pair(pair: Pair, measured: Measured) -> str:
    sides = SIDES if pair.fixed else SIDES[:1]
    names = [mode.name for mode in pair.modes]
    rows = [["", *names], ["---"] * (len(names) + 1)]
    rows += [[side, *(measured.seen[pair.name, side, name] for name in names)] for side in sides]
    table = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    return f"\n### `{pair.name}`\n\n{pair.title}\n\n{table}"


def differences(newest: Measured, older: Measured) -> Iterator[tuple[Key, str, str]]:
    for key, words in older.seen.items():
        if newest.seen[key] != words:
            yield key, newest.seen[key], words


def render_differences(newest: Measured, older: Measured) -> str:
    found = list(differences(newest, older))
    lines = [f"- `{name}` {side}, {mode}: {words} (newest: {new})\n" for (name, side, mode), new, words in found]
    same = len(older.seen) - len(lines)
    return (
        f"\n## accelerate {older.versions['accelerate']}\n\n{len(older.seen)} of these runs were made with it too, none"
        f" under FSDP, which it does not do on CPU; {same} came to the same.\n\n{''.join(lines)}"
    )


def read(page: str) -> dict[Key, str]:
    """Return what a page says of the newest release, by pair, side and mode."""
    seen: dict[Key, str] = {}
    name, modes = "", list[str]()
    for line in page.splitlines():
        heading = _HEADING.match(line)
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if heading is not None:
            name = heading[1]
        elif line.startswith("|  |"):
            modes = cells[1:]
        elif line.startswith("|") and cells[0] in SIDES:
            seen |= {(name, cells[0], mode): words for mode, words in zip(modes, cells[1:], strict=True)}
    return seen


def read_older(page: str) -> dict[Key, str]:
    """Return what a page says of an older release: all of the newest, but for what is listed as different."""
    found = map(_DIFFERENCE.fullmatch, page.splitlines())
    return read(page) | {(each[1], each[2], each[3]): each[4] for each in found if each is not None}
