"""What helps old code to adopt the tool: comments to all findings, or a baseline that knows them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from prepare_fix.baseline import write_baseline
from prepare_fix.commands.collect import collect, with_shown_paths
from prepare_fix.commands.options import Run
from prepare_fix.commands.output import finish, note, show_findings, spare_sources
from prepare_fix.commands.writing import write_results
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileResult
from prepare_fix.ignores import ignore_document
from prepare_fix.reporting.text import count


def add_ignores_to_files(run: Run, allow_dirty: bool) -> int:
    """Write a comment to each finding; report those that no comment can silence."""
    if run.reads_stdin:
        raise click.UsageError("--add-ignores writes into files, not to standard output")
    results = with_shown_paths(write_results(run, collect(run, ignore_document), allow_dirty))
    show_findings(run, results)
    if not run.quiet:
        silenced = sum(len(result.fixed) for result in results)
        files = sum(result.after is not None for result in results)
        note(f"Silenced {count(silenced, 'finding')} in {count(files, 'file')}")
    return finish(run, results, any(result.findings for result in results))


def write_new_baseline(run: Run, path: str, results: Sequence[FileResult]) -> int:
    """Write all findings to the file at ``path``."""
    spare_sources(path, results)
    try:
        known = write_baseline(path, results)
    except SourceError as error:
        raise click.FileError(path, error.message) from error
    if not run.quiet:
        note(f"Wrote {count(known, 'finding')} to {path}")
    return finish(run, with_shown_paths(results), False)
