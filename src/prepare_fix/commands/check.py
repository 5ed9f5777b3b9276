"""``prepare-fix check``."""

from __future__ import annotations

import sys

import click

from prepare_fix import __version__, pipeline
from prepare_fix.commands.collect import collect, read_stdin, with_shown_paths
from prepare_fix.commands.options import Run, with_run
from prepare_fix.commands.output import finish, is_coloured
from prepare_fix.findings import FileResult
from prepare_fix.reporting import text


@click.command()
@with_run(
    click.option("--output-format", type=click.Choice(["text", "concise", "json"]), default="text"),
    click.option("--output-file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report to FILE."),
    click.option("--statistics", is_flag=True, help="Print a count for each rule in the place of the findings."),
)
def command(run: Run, output_format: str, output_file: str | None, statistics: bool) -> int:
    """Report findings; nothing is written."""
    if run.reads_stdin:
        results = [pipeline.do_bytes(read_stdin(), run.stdin_filename, run.settings, pipeline.check_document)]
    else:
        results = with_shown_paths(collect(run, pipeline.check_file))
    report = _format(run, results, output_format, output_file is None and is_coloured(run, sys.stdout), statistics)
    if output_file is None:
        click.echo(report, nl=False, color=True)
    else:
        _write(output_file, report)
    return finish(run, results, any(result.findings for result in results))


def _format(run: Run, results: list[FileResult], output_format: str, colour: bool, statistics: bool) -> str:
    if output_format == "json":
        from prepare_fix.reporting.json_report import format_json

        return format_json(results, __version__)
    if statistics:
        report = text.format_statistics(results)
    else:
        write = text.format_concise if output_format == "concise" else text.format_full
        report = "".join(write(result, colour) for result in results)
    return report if run.quiet else f"{report}{text.format_summary(results, run.settings.unsafe_fixes)}\n"


def _write(path: str, report: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(report)
    except OSError as error:
        raise click.FileError(path, error.strerror or str(error)) from error
