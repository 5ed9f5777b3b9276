"""The changes of a run as several patches: one for each repository, or for each folder at the top."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import click

from prepare_fix.commands.collect import with_shown_paths
from prepare_fix.commands.diffs import ROOT, build_patch, by_real_path
from prepare_fix.commands.output import note
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileResult
from prepare_fix.reporting.screen import printable
from prepare_fix.sources.discover import find_work_tree, show_path
from prepare_fix.sources.files import write_file

_SUFFIX = ".patch"
_TOP = "top"
"""The name for files that lie in no folder below the current one."""
_MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Patch:
    """Files of one patch, by the names that they have in it: relative to ``base``."""

    name: str
    base: str
    results: tuple[FileResult, ...]


def plan_patches(results: Iterable[FileResult]) -> list[Patch]:
    """Return the patches for ``results`` that change.

    Files of several git work trees make a patch for each, to be applied at its root. Otherwise there is one for each
    top folder, to be applied where the run was made; what lies outside of the current folder, at the root of its work
    tree.
    """
    changing = [by_real_path(result) for result in results if result.after is not None]
    trees = {result.path: find_work_tree(os.path.dirname(result.path)) for result in changing}
    groups: dict[tuple[str, str], list[FileResult]] = {}
    for result in changing:
        tree = trees[result.path]
        if len(set(trees.values())) > 1 and tree is not None:
            base, title, path = tree, _title_of(tree), os.path.relpath(result.path, tree)
        else:
            path, root = show_path(result.path)
            base = ROOT if os.path.isabs(path) else root or os.path.realpath(os.curdir)
            path = path.removeprefix(ROOT)
            folder = path.split(os.sep)[0]
            title = folder if folder != path else _TOP
        groups.setdefault((base, title), []).append(replace(result, path=path))
    return list(_with_names(groups))


def _title_of(tree: str) -> str:
    relative = os.path.relpath(tree, os.path.realpath(os.curdir))
    is_below = relative != os.curdir and relative.split(os.sep)[0] != os.pardir
    return relative if is_below else os.path.basename(tree)


def _with_names(groups: dict[tuple[str, str], list[FileResult]]) -> Iterator[Patch]:
    """Yield the groups with a name each that any file system takes, and tells from the others."""
    taken: set[str] = set()
    for (base, title), results in sorted(groups.items()):
        stem = re.sub(r"[^\w.-]", "_", title.replace(os.sep, "-"), flags=re.ASCII).strip("._-")[:_MAX_NAME] or _TOP
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        yield Patch(name + _SUFFIX, base, tuple(sorted(results, key=lambda result: result.path)))


def write_patches(folder: str, results: Sequence[FileResult], explain: bool) -> list[FileResult]:
    """Write the patches into ``folder``, and print the path of each. Return the results as reports name them."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise click.FileError(folder, error.strerror) from error
    finished = with_shown_paths(result for result in results if result.after is None)
    written = set()
    for patch in plan_patches(results):
        compared = [build_patch(result, explain) for result in patch.results]
        finished += [result for result, _ in compared]
        path = os.path.join(folder, patch.name)
        try:
            write_file(path, b"".join(change for _, change in compared))
        except SourceError as error:
            raise click.FileError(path, error.message) from error
        written.add(patch.name)
        click.echo(printable(path))
        if patch.base != os.path.realpath(os.curdir):
            note(f"prepare-fix: {path} is to be applied in {patch.base}")
    others = sorted(name for name in os.listdir(folder) if name.endswith(_SUFFIX) and name not in written)
    if others:
        note(f"prepare-fix: not written by this run, but in {folder} too: {', '.join(others)}")
    return finished
