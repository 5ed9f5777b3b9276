"""``prepare-fix diff``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace

import click

from prepare_fix.commands.collect import collect, fix_document, with_shown_paths
from prepare_fix.commands.options import Run, with_run
from prepare_fix.commands.output import finish, is_coloured, tell_known, write_bytes
from prepare_fix.commands.verbs import CHECK_STATUSES, Verb
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult
from prepare_fix.reporting import text


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix diff", "Show the repairs of the current folder."),
        ("prepare-fix diff --unsafe-fixes > p.patch", "Keep them as a patch."),
        ("prepare-fix diff | git apply", "Make them, as fix does."),
    ),
    statuses={**CHECK_STATUSES, "0": "Nothing to change.", "1": "There is a change."},
)
@with_run()
def command(run: Run) -> int:
    """Print as one patch what fix would change.

    PATHS are files and folders, by default the current folder; - is standard input. No source is changed. Standard
    output is a patch for git apply or patch -p1, in colours on a terminal alone.
    """
    results = collect(run, fix_document)
    # Editors name a file in full, which no patch may.
    is_file = not run.reads_stdin or os.path.isabs(run.stdin_filename)
    compared = compare_files(results) if is_file else list(map(_compare, results))
    for _, patch in compared:
        _print_patch(run, patch)
    finished = [result for result, _ in compared]
    if not run.quiet:
        click.echo(text.format_fix_summary(finished, "Would fix"), err=True)
    tell_known(run, finished)
    return finish(run, finished, any(patch for _, patch in compared))


def compare_files(results: Iterable[FileResult]) -> list[tuple[FileResult, bytes]]:
    """Return the results under the names that reports have for files, each with its diff."""
    return [_compare(result) for result in with_shown_paths(map(_by_real_path, results))]


def _by_real_path(result: FileResult) -> FileResult:
    """Return the result under the name of the file itself: no program applies a patch through a link."""
    return result if result.after is None else replace(result, path=os.path.realpath(result.path))


def _compare(result: FileResult) -> tuple[FileResult, bytes]:
    """Return the result with its diff, which is read back before anybody gets it."""
    if result.after is None:
        return result, b""
    from prepare_fix.reporting.unified_diff import build_diff, verify_diff

    patch = build_diff(result.path, result.before, result.after)
    try:
        verify_diff(patch, result.before, result.after)
    except SourceError as error:
        return replace(result, error=FileError(result.path, error.kind, error.message)), b""
    return result, patch


def _print_patch(run: Run, patch: bytes) -> None:
    # FORCE_COLOR must not spoil a patch in a pipe.
    if run.color == "always" or (sys.stdout.isatty() and is_coloured(run.color, sys.stdout)):
        click.echo(text.paint_diff(patch.decode("utf-8", "replace")), nl=False, color=True)
    else:
        write_bytes(patch)
