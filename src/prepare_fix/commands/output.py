"""What goes to which stream, and the exit status."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, TextIO

import click

from prepare_fix.errors import SourceError
from prepare_fix.reporting.screen import DRAWN, MIN_WIDTH, WIDTH, Screen, printable
from prepare_fix.sources.files import write_file

if TYPE_CHECKING:
    from prepare_fix.commands.options import Run
    from prepare_fix.findings import FileResult


def note(message: str) -> None:
    """Print a line beside the result."""
    click.echo(printable(message), err=True)


def complain(message: str) -> None:
    """Print an error."""
    note(f"prepare-fix: error: {message}")


def is_coloured(color: str, stream: TextIO) -> bool:
    """Return whether to colour what people read on ``stream``; ``color`` is what they asked for."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return (stream.isatty() and os.environ.get("TERM") != "dumb") or bool(os.environ.get("FORCE_COLOR"))


def screen_of(color: str, stream: TextIO) -> Screen:
    """Return what people read ``stream`` on; ``color`` is what they asked for."""
    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return Screen(max(columns, MIN_WIDTH), is_coloured(color, stream), _can_draw(stream))


def _can_draw(stream: TextIO) -> bool:
    """Return whether the characters of a drawing come through ``stream`` as they are."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    if locale in {"C", "POSIX"}:
        return False  # Python writes UTF-8 all the same, to a terminal that says that it knows ASCII
    try:
        "".join(astuple(DRAWN)).encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def show_findings(run: Run, results: Sequence[FileResult], to_stderr: bool = False) -> None:
    """Print the findings of all files, in full."""
    from prepare_fix.reporting.text import format_full

    screen = screen_of(run.color, sys.stderr if to_stderr else sys.stdout)
    for result in results:
        click.echo(format_full(result, screen, run.settings.unsafe_fixes), nl=False, err=to_stderr, color=True)


def finish(run: Run, results: Sequence[FileResult], is_positive: bool) -> int:
    """List the errors on standard error and return the exit status."""
    complain_of_files(run, results)
    return exit_status(run, results, is_positive)


def tell_known(run: Run, results: Sequence[FileResult]) -> None:
    """Tell on standard error how many findings the baseline left out."""
    from prepare_fix.reporting.text import count

    if (known := sum(result.known for result in results)) and not run.quiet:
        note(f"{count(known, 'finding')} of the baseline left out")


def complain_of_files(run: Run, results: Sequence[FileResult]) -> None:
    """List the errors on standard error."""
    from prepare_fix.reporting.text import format_error

    for result in results:
        if result.error is not None:
            complain(format_error(result.error))
            for detail in result.notes if run.verbose else ():
                for line in detail.rstrip().split("\n"):
                    note(line)


def exit_status(run: Run, results: Sequence[FileResult], is_positive: bool) -> int:
    """Return the exit status; ``is_positive`` says that there is something to report or to change."""
    if any(result.error is not None for result in results):
        return 2
    return int(is_positive and not run.exit_zero)


def print_report(told: str, output_file: str | None, to_stderr: bool = False) -> None:
    """Print a report, or write it to a file as a whole."""
    if output_file is None:
        click.echo(told, nl=False, err=to_stderr, color=True)
        return
    try:
        write_file(output_file, told.encode("utf-8", "backslashreplace"))
    except SourceError as error:
        raise click.FileError(output_file, error.message) from error


def spare_sources(path: str, results: Iterable[FileResult]) -> None:
    """Raise where the file at ``path``, which is to be written, is one of those that were looked at.

    Somebody left out its name then, or a shell put the names of sources there.
    """
    target = os.path.realpath(path)  # as it is written: "no-folder/../a.py" is "a.py"
    if os.path.exists(target) and any(_is_same_file(target, result.path) for result in results):
        raise click.UsageError(f"{path} is one of the files to look at, and is not written over")


def _is_same_file(path: str, other: str) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samefile(path, other)
    return False


def require_folder(path: str) -> None:
    """Raise where no file can be written at ``path``: nobody should learn that when the work is done."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise click.FileError(path, os.strerror(errno.EISDIR))
    if not os.path.isdir(folder):
        raise click.FileError(path, os.strerror(errno.ENOENT))
    is_own = not os.path.exists(target) or os.path.isfile(target)
    if is_own and not os.access(folder, os.W_OK):
        raise click.FileError(path, os.strerror(errno.EACCES))


def write_bytes(content: bytes) -> None:
    """Print bytes as they are."""
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
