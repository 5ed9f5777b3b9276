"""Writing what a run came up with: only what git or the journal can bring back, file by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from prepare_fix.apply import Writer
from prepare_fix.commands.options import Run
from prepare_fix.findings import FileResult


def write_results(run: Run, results: Sequence[FileResult], allow_dirty: bool) -> list[FileResult]:
    """Write the files that change; where one must not be written, return its result with the reason."""
    writer = Writer(run.settings, allow_dirty)
    with saying_what_was_done(writer, sum(result.after is not None for result in results)):
        written = list(writer.write(results))
    if writer.journal_error:
        click.echo(f"prepare-fix: warning: undo won't work, no journal could be kept: {writer.journal_error}", err=True)
    return written


@contextmanager
def saying_what_was_done(writer: Writer, total: int) -> Iterator[None]:
    """Let an interruption tell how far the writing came."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        done = f"{writer.written} of {total} files written" if writer.written else "no file was written"
        undo = ", prepare-fix undo takes them back" if writer.written else ""
        raise type(interruption)(f"{done}{undo}") from None
