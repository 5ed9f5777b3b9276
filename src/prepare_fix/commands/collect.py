"""From what a run names to one result for each file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

import click

from prepare_fix import pipeline
from prepare_fix.commands.options import Run
from prepare_fix.findings import FileError, FileResult
from prepare_fix.settings import Settings
from prepare_fix.sources.discover import find_files, show_path


def collect(run: Run, file_work: Callable[[str, Settings], FileResult]) -> list[FileResult]:
    """Do ``file_work`` on all files that ``run`` names; one result each, also for paths that can't be looked at."""
    settings = run.settings
    found = find_files(run.paths, settings.include, settings.exclude)
    results = list(pipeline.do_files(found.files, settings, file_work))
    return results + [FileResult(bad.path, error=FileError(bad.path, "io", bad.message)) for bad in found.problems]


def read_stdin() -> bytes:
    """Return all of standard input."""
    return sys.stdin.buffer.read()


def with_shown_paths(results: Iterable[FileResult]) -> list[FileResult]:
    """Name the files that there is something to say about as reports do; say to what outer names are relative."""
    shown = []
    roots = set()
    for result in results:
        if result.findings or result.error or result.after is not None:
            path, root = show_path(result.path)
            if root is not None:
                roots.add(root)
            error = result.error and replace(result.error, path=path)
            result = replace(result, path=path, error=error)
        shown.append(result)
    for root in sorted(roots):
        click.echo(f"prepare-fix: paths outside of the current folder are relative to {root}", err=True)
    return sorted(shown, key=lambda result: result.path)
