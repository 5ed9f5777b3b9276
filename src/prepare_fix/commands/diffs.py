"""Results of a run, and the diffs that give what ``fix`` would write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from prepare_fix.commands.collect import with_shown_paths
from prepare_fix.commands.output import note
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult

ROOT = os.path.abspath(os.sep)
"""Where to apply a patch to files that no folder is known for."""


def compare_files(results: Iterable[FileResult], explain: bool = False) -> list[tuple[FileResult, bytes]]:
    """Return the results under the names that reports have for files, each with its diff."""
    shown = with_shown_paths(map(by_real_path, results))
    if any(result.after is not None and os.path.isabs(result.path) for result in shown):
        note(f"prepare-fix: paths that are in no git work tree are relative to {ROOT} in the patch")
    return [build_patch(result, explain) for result in shown]


def by_real_path(result: FileResult) -> FileResult:
    """Return the result under the name of the file itself: no program applies a patch through a link."""
    return result if result.after is None else replace(result, path=os.path.realpath(result.path))


def build_patch(result: FileResult, explain: bool = False) -> tuple[FileResult, bytes]:
    """Return the result with its diff, which is read back before anybody gets it; with the reasons, if wanted."""
    if result.after is None:
        return result, b""
    from prepare_fix.reporting.reasons import format_reasons
    from prepare_fix.reporting.unified_diff import build_diff, verify_diff

    patch = build_diff(result.path, result.before, result.after)
    try:
        verify_diff(patch, result.before, result.after)
    except SourceError as error:
        return replace(result, error=FileError(result.path, error.kind, error.message)), b""
    return result, format_reasons(result) + patch if explain else patch
