"""Paths and folders -> the files to look at, sorted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".ipynb")

# Folders that hold no source of the project; one that is named by hand is walked all the same.
EXCLUDED_FOLDERS = frozenset(
    (
        ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv",
        ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build",
        "build", "dist", "node_modules", "site-packages", "venv",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that could not be looked at, and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to read, sorted, relative to the current folder where they lie in it; and what went wrong."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def find_files(paths: Iterable[str]) -> Discovery:
    """Return the files that ``paths`` name: a file as it is, of a folder its Python files and notebooks."""
    files: dict[str, str] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            problems.append(Problem(path, _reason(error)))
            continue
        shown = _shorten(path)
        if stat.S_ISDIR(mode):
            real = os.path.realpath(path)
            for file in _Walk(shown, real, problems).files():
                files.setdefault(os.path.join(real, os.path.relpath(file, shown or ".")), file)
        elif stat.S_ISREG(mode):
            files.setdefault(os.path.realpath(path), shown)
        else:
            problems.append(Problem(path, "neither a file nor a folder"))
    return Discovery(tuple(sorted(files.values())), tuple(problems))


def show_path(path: str) -> tuple[str, str | None]:
    """Return how reports and diffs name ``path``, and the folder that the name is relative to.

    The folder is ``None`` for the current one; else it is the root of the git work tree around the file, or of the
    file system.
    """
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    if not _is_outside(relative):
        return relative, None
    root = next((folder for folder in _ancestors(os.path.dirname(absolute)) if _is_git_root(folder)), os.sep)
    return os.path.relpath(absolute, root), root


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _shorten(path: str) -> str:
    """Return ``path`` relative to the current folder where it lies in it, "" for that folder itself."""
    # A link with ".." behind it leads elsewhere than the text says; such a path is left alone.
    relative = os.path.relpath(path)
    if _is_outside(relative) or not os.path.samefile(relative, path):
        return path
    return "" if relative == os.curdir else relative


def _is_outside(relative: str) -> bool:
    return relative == os.pardir or relative.startswith(os.pardir + os.sep) or os.path.isabs(relative)


def _ancestors(folder: str) -> Iterator[str]:
    """Yield ``folder`` and the folders around it, the nearest first."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _is_git_root(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))


@dataclass(frozen=True, slots=True)
class _IgnoreFile:
    """The patterns of one ignore file; they speak of paths relative to ``folder``, given from the walk's root.

    ``below`` is the path from the folder of the ignore file down to the walk's root, "" where it lies in the walk.
    """

    folder: str
    below: str
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """Return whether the patterns leave out (``True``) or keep ``path``; ``None`` where none of them fits."""
        return self.spec.check_file(self.below + path[len(self.folder) :]).include


class _Walk:
    """One walk through a folder; names in it are relative to the root, with "/" between."""

    def __init__(self, root: str, real: str, problems: list[Problem]) -> None:
        self._root = root
        self._real = real
        self._problems = problems

    def files(self) -> Iterator[str]:
        """Yield the paths of the files, in no special order."""
        pending = [("", tuple(self._outer_ignores()))]
        while pending:
            folder, ignores = pending.pop()
            entries = self._list(folder)
            if any(entry.name == ".gitignore" for entry in entries):
                ignores = (*self._read_ignore(os.path.join(self._root, folder, ".gitignore"), folder, ""), *ignores)
            for entry in entries:
                name = folder + entry.name
                if self._is_folder(entry):
                    if entry.name not in EXCLUDED_FOLDERS and not _is_ignored(f"{name}/", ignores):
                        pending.append((f"{name}/", ignores))
                elif entry.name.endswith(SUFFIXES) and not _is_ignored(name, ignores):
                    yield from self._file(entry, name)

    def _list(self, folder: str) -> list[os.DirEntry[str]]:
        path = os.path.join(self._root, folder)
        try:
            with os.scandir(path or ".") as entries:
                return list(entries)
        except OSError as error:
            self._problems.append(Problem(path or ".", _reason(error)))
            return []

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        return entry.is_dir(follow_symlinks=False)

    def _file(self, entry: os.DirEntry[str], name: str) -> Iterator[str]:
        """Yield the file behind ``entry``, a linked one by its real path if that lies in the walked folder."""
        if entry.is_file(follow_symlinks=False):
            yield os.path.join(self._root, name)
        elif entry.is_symlink() and os.path.isfile(entry.path):
            inside = os.path.relpath(os.path.realpath(entry.path), self._real)
            if not _is_outside(inside) and EXCLUDED_FOLDERS.isdisjoint(inside.split(os.sep)):
                yield os.path.join(self._root, inside)

    def _outer_ignores(self) -> Iterator[_IgnoreFile]:
        """Yield the ignore files above the root, up to the root of its git work tree, the nearest first."""
        if _is_git_root(self._real):
            return
        above = list(_ancestors(os.path.dirname(self._real)))
        top = next((index for index, folder in enumerate(above) if _is_git_root(folder)), None)
        if top is None:
            return
        found: list[_IgnoreFile] = []
        for folder in above[: top + 1]:
            below = os.path.relpath(self._real, folder).replace(os.sep, "/") + "/"
            found += self._read_ignore(os.path.join(folder, ".gitignore"), "", below)
        # A root that is ignored itself was named by hand: what speaks against all of it does not count.
        if not _is_ignored("", tuple(found)):
            yield from found

    def _read_ignore(self, path: str, folder: str, below: str) -> Iterator[_IgnoreFile]:
        try:
            with open(path, "rb") as file:
                lines = file.read().decode("utf-8", "surrogateescape").split("\n")
        except FileNotFoundError:
            return
        except OSError as error:
            self._problems.append(Problem(path, _reason(error)))
            return
        from pathspec import GitIgnoreSpec

        yield _IgnoreFile(folder, below, GitIgnoreSpec.from_lines(line.rstrip("\r") for line in lines))


def _is_ignored(name: str, ignores: Iterable[_IgnoreFile]) -> bool:
    """Ask the ignore files, the nearest first: the first that has a pattern for ``name`` decides."""
    return next((verdict for ignore in ignores if (verdict := ignore.verdict(name)) is not None), False)
