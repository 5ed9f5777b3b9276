"""The program with the stand-ins of ``fakes``, as a process of its own: ``python stand_in.py check ...``.

A source with "SLOW" in it takes a fifth of a second, one with "VERY_SLOW" a minute, and other words make the engine
fail or print; progress is shown at once, and processes pay early.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import fakes

from prepare_fix import pool
from prepare_fix.cli import main
from prepare_fix.commands import options, progress
from prepare_fix.flow import trace
from prepare_fix.sources.text import SourceText

PATIENCE = "STAND_IN_PATIENCE"


class Patch:
    """What ``fakes.install`` needs of pytest's monkeypatch."""

    def setattr(self, target: object, name: object, value: object = None, raising: bool = True) -> None:
        if isinstance(target, str):
            assert target == "prepare_fix.commands.options.discover"
            options.discover = name  # type: ignore[assignment]
        else:
            setattr(target, str(name), value)


def build_slowly(source: SourceText, find_module: object = None) -> SourceText:
    if "SLOW" in source.text:
        time.sleep(60 if "VERY_SLOW" in source.text else 0.2)
    if "ENGINE_FAILS" in source.text:
        raise RuntimeError("the engine fails")
    if "PRINTS" in source.text:
        print("a stray line")
    return fakes.build_trace(source)


def command(*arguments: str) -> list[str]:
    """Return the command line that runs this program."""
    return [sys.executable, __file__, *arguments]


def environment(**variables: str) -> dict[str, str]:
    """Return the environment for it."""
    paths = [str(Path(__file__).parent), *sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TERM": "xterm", **variables}


if __name__ == "__main__":
    fakes.install(Patch())  # type: ignore[arg-type]
    trace.build_trace = build_slowly  # type: ignore[assignment]
    progress._PATIENCE = float(os.environ.get(PATIENCE, "0"))
    pool.FORKED_SHARE = 1000
    sys.exit(main(sys.argv[1:]))
