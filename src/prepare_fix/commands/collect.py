"""From what a run names to one result for each file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prepare_fix.commands.options import Run
from prepare_fix.commands.output import note
from prepare_fix.commands.progress import Progress
from prepare_fix.findings import FileError, FileResult
from prepare_fix.pool import do_files
from prepare_fix.sources.discover import find_files, path_from, show_path

if TYPE_CHECKING:
    from prepare_fix.pipeline import Work
    from prepare_fix.settings import Settings
    from prepare_fix.sources.document import Document


def check_document(document: Document, settings: Settings) -> FileResult:
    """Return the findings in ``document``."""
    # What looks into documents is imported with the first of them: most runs of most projects have none.
    from prepare_fix import pipeline

    return pipeline.check_document(document, settings)


def bundle_document(document: Document, settings: Settings) -> FileResult:
    """Return the findings in ``document``, and its fixes in bundles to choose from."""
    from prepare_fix import pipeline

    return pipeline.bundle_document(document, settings)


def fix_document(document: Document, settings: Settings) -> FileResult:
    """Return what is left in ``document`` when it is fixed, and its new bytes."""
    from prepare_fix import pipeline

    return pipeline.fix_document(document, settings)


def collect(run: Run, work: Work) -> list[FileResult]:
    """Do ``work`` on all that ``run`` names; one result each, also for paths that can't be looked at."""
    settings = run.settings
    if run.reads_stdin:
        from prepare_fix.pipeline import do_bytes

        return [do_bytes(read_stdin(), run.stdin_filename, settings, work)]
    found = find_files(run.paths, settings.include, settings.exclude, force_exclude=run.force_exclude)
    results = [FileResult(bad.path, error=FileError(bad.path, "io", bad.message)) for bad in found.problems]
    working = do_files(found.files, settings, work, run.jobs)
    with Progress("looked at", len(found.files), run.quiet) as progress, closing(working):
        for result in working:
            results.append(result)
            progress.advance()
    return sorted(results, key=lambda result: result.path)


def read_stdin() -> bytes:
    """Return all of standard input."""
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise click.FileError("standard input", error.strerror) from error


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
        note(f"prepare-fix: paths outside of the current folder are relative to {root}")
    return sorted(shown, key=lambda result: result.path)


def find_checkout() -> str:
    """Return the root of the checkout that a job of GitHub's works in, elsewhere the current folder."""
    return os.path.abspath(os.environ.get("GITHUB_WORKSPACE") or os.curdir)


def with_paths_from(folder: str, results: Iterable[FileResult]) -> list[FileResult]:
    """Name all files relative to ``folder``, those outside of it by their absolute paths."""
    named = []
    for result in results:
        path = path_from(folder, result.path)
        named.append(replace(result, path=path, error=result.error and replace(result.error, path=path)))
    return sorted(named, key=lambda result: result.path)
