"""Writing what a run came up with: only what git or the journal can bring back, file by file."""

from __future__ import annotations

from collections.abc import Sequence

from prepare_fix.apply import Writer
from prepare_fix.commands.options import Run
from prepare_fix.commands.output import note
from prepare_fix.commands.progress import Progress
from prepare_fix.findings import FileResult
from prepare_fix.reporting.text import count


def write_results(run: Run, results: Sequence[FileResult], allow_dirty: bool) -> list[FileResult]:
    """Write the files that change; where one must not be written, return its result with the reason."""
    writer = Writer(run.settings, allow_dirty)
    total = sum(result.after is not None for result in results)
    with Progress("written", total, run.quiet, " (prepare-fix undo takes them back)") as progress:
        done = list(writer.write(results, progress.advance))
    if writer.unrecorded:
        lost = f"undo won't bring back {count(writer.unrecorded, 'file')}, no journal could be kept"
        note(f"prepare-fix: warning: {lost}: {writer.journal_error}")
    return done
