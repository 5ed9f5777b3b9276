"""``prepare-fix diff``."""

from __future__ import annotations

import os
import sys

import click

from prepare_fix.commands.collect import collect, fix_document
from prepare_fix.commands.diffs import build_patch, compare_files
from prepare_fix.commands.options import Run, Target, with_run
from prepare_fix.commands.output import finish, is_coloured, tell_known, write_bytes
from prepare_fix.commands.verbs import CHECK_STATUSES, Verb, option
from prepare_fix.findings import FileResult
from prepare_fix.reporting import text


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix diff", "Show the repairs of the current folder."),
        ("prepare-fix diff --explain --unsafe-fixes > p.patch", "Keep them as a patch, with their reasons."),
        ("prepare-fix diff --output patches", "Keep them as a patch for each folder or repository."),
        ("prepare-fix diff | git apply", "Make them, as fix does."),
    ),
    statuses={**CHECK_STATUSES, "0": "Nothing to change.", "1": "There is a change."},
)
@with_run(
    option("--explain", is_flag=True, help="Tell in front of each file why it changes; it stays a patch."),
    option(
        "--output",
        type=Target(file_okay=False),
        metavar="DIR",
        help="Write patches into DIR: one for each repository of several, else one for each top folder.",
    ),
)
def command(run: Run, explain: bool, output: str | None) -> int:
    """Print as one patch what fix would change.

    PATHS are files and folders, by default the current folder; - is standard input. No source is changed. Standard
    output is a patch for git apply or patch -p1, in colours on a terminal alone; with --output, the paths of patches.
    """
    if output is not None and run.reads_stdin:
        raise click.UsageError("--output can't be combined with standard input")
    results = collect(run, fix_document)
    finished = _print(run, results, explain) if output is None else _write(output, results, explain)
    if not run.quiet:
        click.echo(text.format_fix_summary(finished, "Would fix"), err=True)
    tell_known(run, finished)
    return finish(run, finished, any(result.after is not None for result in finished))


def _print(run: Run, results: list[FileResult], explain: bool) -> list[FileResult]:
    # Editors name a file in full, which no patch may.
    is_file = not run.reads_stdin or os.path.isabs(run.stdin_filename)
    compared = compare_files(results, explain) if is_file else [build_patch(result, explain) for result in results]
    for _, patch in compared:
        _print_patch(run, patch)
    return [result for result, _ in compared]


def _write(folder: str, results: list[FileResult], explain: bool) -> list[FileResult]:
    from prepare_fix.commands.patches import write_patches

    return write_patches(folder, results, explain)


def _print_patch(run: Run, patch: bytes) -> None:
    # FORCE_COLOR must not spoil a patch in a pipe.
    if run.color == "always" or sys.stdout.isatty():
        shown = text.show_diff(patch.decode("utf-8", "replace"), is_coloured(run.color, sys.stdout))
        click.echo(shown, nl=False, color=True)
    else:
        write_bytes(patch)
