"""The program's entry. It answers ``--version`` before anything costly is imported; all else is in ``commands``."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from prepare_fix import __version__


class Stopped(KeyboardInterrupt):
    """Somebody asked the program to end, by a signal other than that of Ctrl-C."""

    status = 128 + signal.SIGTERM


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (those of the process if ``None``) and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Syntax trees are large, live for a moment and hold few cycles: looking for those often is time lost.
    gc.set_threshold(200_000, 20, 100)
    _open_missing_streams()
    with _stoppable():
        try:
            status = _run(given)
            sys.stdout.flush()
            return status
        except KeyboardInterrupt as interruption:
            print("prepare-fix: interrupted" + "".join(f": {note}" for note in interruption.args), file=sys.stderr)
            return getattr(interruption, "status", 128 + signal.SIGINT)
        except BrokenPipeError:
            _give_up(sys.stdout)
            return 1
        except OSError as error:
            # All files are read and written elsewhere: what fails here is the output itself, on a full disk.
            _give_up(sys.stdout)
            try:
                print(f"prepare-fix: error: can't write the output: {error.strerror or error}", file=sys.stderr)
            except OSError:
                _give_up(sys.stderr)
            return 2


def _run(given: list[str]) -> int:
    if given == ["--version"]:
        print(f"prepare-fix {__version__}")
        return 0
    from prepare_fix.commands import run

    return run(given)


def _open_missing_streams() -> None:
    """Put something in the place of streams that the caller closed (as ``>&-`` does)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the program ends


def _give_up(stream: TextIO) -> None:
    """Let go of what can't be printed, or the interpreter would fail on it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Take the signals that end a program as Ctrl-C is taken, so that nothing is left half done."""
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Somebody who lets a signal be ignored (nohup) is not overruled; only the main thread may ask at all.
        with contextlib.suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: object) -> None:
    stopped = Stopped()
    stopped.status = 128 + number
    raise stopped
