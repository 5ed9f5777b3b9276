"""``prepare-fix check``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

import click

from prepare_fix.commands.collect import (
    bundle_document,
    check_document,
    collect,
    find_checkout,
    with_paths_from,
    with_shown_paths,
)
from prepare_fix.commands.options import ALLOW_DIRTY, OUTPUT_FILE, Run, Target, known_rules, with_run
from prepare_fix.commands.output import (
    complain_of_files,
    exit_status,
    print_report,
    require_folder,
    screen_of,
    spare_sources,
    tell_known,
)
from prepare_fix.commands.verbs import Verb, option
from prepare_fix.findings import FileResult
from prepare_fix.reporting import text
from prepare_fix.reporting.formats import FORMATS, Report, render
from prepare_fix.reporting.screen import Screen


@dataclass(frozen=True, slots=True)
class _Manner:
    """How the findings are told, and where."""

    output_format: str
    output_file: str | None
    statistics: bool


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix check", "Check all scripts and notebooks of the current folder."),
        ("prepare-fix check train.py --output-format concise", "One line for each finding."),
        ("prepare-fix check --output-format html --output-file report.html", "A page to read, filter and choose from."),
        ("prepare-fix check --write-baseline known.json", "Take note of all that is found today."),
        ("prepare-fix check --baseline known.json", "Report what is new since then."),
    ),
)
@with_run(
    option("--output-format", type=click.Choice(list(FORMATS)), default="text", help="How to tell it."),
    OUTPUT_FILE,
    option("--statistics", is_flag=True, help="Print a count for each rule in the place of the findings."),
    option(
        "--write-baseline",
        type=Target(),
        metavar="FILE",
        help="Write all findings to FILE: they are known from then on.",
    ),
    option("--add-ignores", is_flag=True, help="Write a comment to each finding that silences it."),
    ALLOW_DIRTY,
)
def command(
    run: Run,
    output_format: str,
    output_file: str | None,
    statistics: bool,
    write_baseline: str | None,
    add_ignores: bool,
    allow_dirty: bool,
) -> int:
    """Report what is wrong, what it breaks, and how it can be repaired.

    PATHS are files and folders, by default the current folder; - is standard input. They are read, never run. No source
    is changed, but by --add-ignores.
    """
    manner = _Manner(output_format, output_file, statistics)
    if add_ignores or write_baseline is not None:
        _refuse_report(manner, add_ignores and write_baseline is not None)
    if add_ignores:
        from prepare_fix.commands.adopt import add_ignores_to_files

        return add_ignores_to_files(run, allow_dirty)
    if write_baseline is not None:
        from prepare_fix.commands.adopt import write_new_baseline

        return write_new_baseline(run, write_baseline, collect(run, check_document))
    if output_file is not None:
        require_folder(output_file)
    work = bundle_document if FORMATS[output_format].has_choice else check_document
    return _tell(run, manner, collect(run, work))


def _refuse_report(manner: _Manner, is_both: bool) -> None:
    """Raise where a run that silences what is found today is to report it too, or to silence it twice."""
    if is_both:
        raise click.UsageError("--add-ignores can't be combined with --write-baseline: each silences all findings")
    if manner != _Manner("text", None, False):
        raise click.UsageError(
            "--add-ignores and --write-baseline make no report: "
            "they can't be combined with --output-format, --output-file or --statistics"
        )


def _tell(run: Run, manner: _Manner, results: list[FileResult]) -> int:
    if manner.output_file is not None:
        spare_sources(manner.output_file, results)
    shown = results if run.reads_stdin else with_shown_paths(results)
    status = exit_status(run, results, any(result.findings for result in results))
    if FORMATS[manner.output_format].is_of_checkout:
        folder = find_checkout()
        told = results if run.reads_stdin else with_paths_from(folder, results)
    else:
        folder, told = os.getcwd(), shown
    if manner.statistics and not FORMATS[manner.output_format].is_for_people:
        # A program reads a whole report or none: the counts for people go beside it.
        click.echo(text.format_statistics(results), nl=False, err=True)
    report = Report(
        told,
        known_rules,
        # A file is read elsewhere: without colours, and with all characters, for it is written in UTF-8.
        screen=screen_of(run.color, sys.stdout) if manner.output_file is None else Screen(can_draw=True),
        is_quiet=run.quiet,
        has_statistics=manner.statistics,
        unsafe_fixes=run.settings.unsafe_fixes,
        folder=folder,
        status=status,
        known=sum(result.known for result in results),
    )
    print_report(render(manner.output_format, report), manner.output_file)
    tell_known(run, results)
    complain_of_files(run, shown)
    return status
