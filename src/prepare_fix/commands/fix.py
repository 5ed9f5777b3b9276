"""``prepare-fix fix``."""

from __future__ import annotations

from functools import partial

import click

from prepare_fix.commands.collect import collect, fix_document, read_stdin, with_shown_paths
from prepare_fix.commands.options import ALLOW_DIRTY, OUTPUT_FILE, Run, known_rules, with_run
from prepare_fix.commands.output import (
    finish,
    print_report,
    require_folder,
    show_findings,
    spare_sources,
    tell_known,
    write_bytes,
)
from prepare_fix.commands.verbs import CHECK_STATUSES, Verb, option
from prepare_fix.findings import FileResult
from prepare_fix.reporting import text
from prepare_fix.reporting.formats import FIX_FORMATS, Report, render
from prepare_fix.reporting.screen import Screen


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix fix train.py", "Repair one script, as far as it is safe."),
        ("prepare-fix fix --unsafe-fixes --select PF1", "Make all fixes of the rules PF101 to PF110."),
        ("prepare-fix fix - < old.py > new.py", "Read standard input, write standard output."),
        ("prepare-fix undo", "Take it all back."),
    ),
    statuses={**CHECK_STATUSES, "0": "Nothing is left to report.", "1": "Findings are left."},
)
@with_run(
    option("--output-format", type=click.Choice(list(FIX_FORMATS)), default="text", help="How to tell it."),
    OUTPUT_FILE,
    ALLOW_DIRTY,
)
def command(run: Run, output_format: str, output_file: str | None, allow_dirty: bool) -> int:
    """Repair the sources in place, and report what is left.

    PATHS are files and folders, by default the current folder; - is standard input, whose repaired source goes to
    standard output. Only safe fixes are made, without --unsafe-fixes. A file is replaced as a whole or not at all; one
    with uncommitted changes (see --allow-dirty), without write permission or with several hard links is refused. What
    each file was is kept for prepare-fix undo.
    """
    tell = partial(_tell, run, output_format, output_file)
    if output_file is not None:
        require_folder(output_file)
    if run.reads_stdin:
        return tell([_fix_stdin(run)], to_stderr=True)
    results = collect(run, fix_document)
    if output_file is not None:
        spare_sources(output_file, results)
    if any(result.after is not None for result in results):
        from prepare_fix.commands.writing import write_results

        results = write_results(run, results, allow_dirty)
    return tell(with_shown_paths(results))


def _fix_stdin(run: Run) -> FileResult:
    from prepare_fix.pipeline import do_bytes

    raw = read_stdin()
    result = do_bytes(raw, run.stdin_filename, run.settings, fix_document)
    write_bytes(raw if result.after is None else result.after)
    return result


def _tell(
    run: Run, output_format: str, output_file: str | None, results: list[FileResult], to_stderr: bool = False
) -> int:
    if output_format == "text" and output_file is None:
        show_findings(run, results, to_stderr)
    else:
        # The summary is told to people, on standard error.
        screen = Screen(can_draw=True)  # a file is written in UTF-8
        report = Report(results, known_rules, screen, is_quiet=True, unsafe_fixes=run.settings.unsafe_fixes)
        print_report(render(output_format, report, FIX_FORMATS), output_file, to_stderr)
    if not run.quiet:
        click.echo(text.format_fix_summary(results, "Fixed"), err=True)
    tell_known(run, results)
    return finish(run, results, any(result.findings for result in results))
