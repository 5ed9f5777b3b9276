"""``prepare-fix fix``."""

from __future__ import annotations

import click

from prepare_fix.commands.collect import collect, fix_document, read_stdin, with_shown_paths
from prepare_fix.commands.options import ALLOW_DIRTY, Run, with_run
from prepare_fix.commands.output import finish, show_findings, write_bytes
from prepare_fix.findings import FileResult
from prepare_fix.reporting import text


@click.command()
@with_run(ALLOW_DIRTY)
def command(run: Run, allow_dirty: bool) -> int:
    """Make the fixes in place; findings that are left are reported."""
    if run.reads_stdin:
        return _fix_stdin(run)
    results = collect(run, fix_document)
    if any(result.after is not None for result in results):
        from prepare_fix.commands.writing import write_results

        results = write_results(run, results, allow_dirty)
    return _report(run, with_shown_paths(results), False)


def _fix_stdin(run: Run) -> int:
    from prepare_fix.pipeline import do_bytes

    raw = read_stdin()
    result = do_bytes(raw, run.stdin_filename, run.settings, fix_document)
    write_bytes(raw if result.after is None else result.after)
    return _report(run, [result], True)


def _report(run: Run, results: list[FileResult], to_stderr: bool) -> int:
    show_findings(run, results, to_stderr)
    if not run.quiet:
        click.echo(text.format_fix_summary(results, "Fixed"), err=True)
    return finish(run, results, any(result.findings for result in results))
