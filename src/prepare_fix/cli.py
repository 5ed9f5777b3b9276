"""The program's entry. It answers ``--version`` before anything costly is imported; all else is in ``commands``."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from prepare_fix import __version__

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (those of the process if ``None``) and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        print(f"prepare-fix {__version__}")
        return 0
    # Syntax trees are large, live for a moment and hold few cycles: looking for those often is time lost.
    gc.set_threshold(200_000, 20, 100)
    try:
        from prepare_fix.commands import run

        status = run(given)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader went away; the interpreter must not fail on the rest of its buffer at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("prepare-fix: interrupted", file=sys.stderr)
        return INTERRUPTED
