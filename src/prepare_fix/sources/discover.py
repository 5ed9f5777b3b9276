"""Paths and folders -> the files to look at, sorted."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prepare_fix.errors import SourceError
from prepare_fix.sources.files import read_regular_file
from prepare_fix.sources.globs import Glob, Globs, Patterns, find_suffixes

# Folders that hold no source of the project; one that is named by hand is walked all the same.
EXCLUDED_FOLDERS = frozenset(
    (
        ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv",
        ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build",
        "build", "dist", "node_modules", "site-packages", "venv",
    )
)  # fmt: skip

_EXCLUDE_FILE = os.path.join(".git", "info", "exclude")


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


def find_files(
    paths: Iterable[str], include: tuple[Glob, ...], exclude: tuple[Glob, ...] = (), *, force_exclude: bool = False
) -> Discovery:
    """Return the files that ``paths`` name: a file as it is, of a folder those of ``include`` less ``exclude``.

    ``exclude`` stands above the folders that are always left out: "!build/" brings that one back. With
    ``force_exclude``, what a walk through the current folder would leave out is left out where it is named as well.
    """
    choice = _Choice(include, exclude)
    files: dict[str, str] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            problems.append(Problem(path or "''", _reason(error)))
            continue
        shown = _shorten(path)
        if stat.S_ISDIR(mode):
            real = os.path.realpath(path)
            for name in _Walk(shown, real, choice, problems).names():
                files.setdefault(os.path.join(real, name), os.path.join(shown, name))
        elif stat.S_ISREG(mode):
            if not force_exclude or choice.reaches_named(os.path.abspath(path)):
                files.setdefault(os.path.realpath(path), shown)
        else:
            problems.append(Problem(path, "neither a file nor a folder"))
    return Discovery(tuple(sorted(files.values())), tuple(problems))


def is_left_out(path: str, root: str, exclude: tuple[Glob, ...]) -> bool:
    """Return whether a walk through the folder ``root`` would leave out the file at ``path``, whatever its name.

    Ignore files have no say; a file outside of ``root`` is not left out.
    """
    real = os.path.realpath(root)
    inside = os.path.relpath(os.path.realpath(path), real)
    return not (_is_outside(inside) or _Choice((), exclude).within(real).reaches(real, inside))


def show_path(path: str) -> tuple[str, str | None]:
    """Return how reports and diffs name ``path``, and the folder that the name is relative to.

    The folder is ``None`` for the current one; else it is the root of the git work tree around the file. Where there
    is none, the name is the absolute path.
    """
    absolute = os.path.abspath(path)
    relative = os.path.relpath(absolute)
    if not _is_outside(relative):
        return relative, None
    root = find_work_tree(os.path.dirname(absolute))
    return (absolute, None) if root is None else (os.path.relpath(absolute, root), root)


def path_from(folder: str, path: str) -> str:
    """Return ``path`` relative to ``folder``, an absolute path, or its absolute path where it lies outside."""
    absolute = os.path.abspath(path)
    # The current folder is known by its real path, whatever link leads there.
    for root in (folder, os.path.realpath(folder)):
        relative = os.path.relpath(absolute, root)
        if not _is_outside(relative):
            return relative
    return absolute


def find_work_tree(folder: str) -> str | None:
    """Return the root of the git work tree around ``folder``, an absolute path; ``None`` outside of any."""
    return next((outer for outer in _ancestors(folder) if _is_git_root(outer)), None)


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
    patterns: Patterns

    def verdict(self, path: str) -> bool | None:
        """Return whether the patterns leave out (``True``) or keep ``path``; ``None`` where none of them fits."""
        return self.patterns.verdict(self.below + path[len(self.folder) :])


class _Choice:
    """What the settings say of files and folders, given by absolute paths; ignore files have no part in it."""

    def __init__(self, include: tuple[Glob, ...], exclude: tuple[Glob, ...]) -> None:
        self._given = (include, exclude)
        self._suffixes = find_suffixes(include)
        self._included = None if self._suffixes else Globs(include)
        self._excluded = Globs(exclude) if exclude else None

    def within(self, root: str) -> _Choice:
        """Return the choice for a walk from ``root``: it was named by hand, so what leaves out all of it is gone."""
        include, exclude = self._given
        return _Choice(include, tuple(glob for glob in exclude if not Globs([glob]).verdict(f"{root}/")))

    def enters(self, path: str, name: str) -> bool:
        """Return whether the walk goes into the folder ``name`` at ``path``."""
        verdict = self._excluded.verdict(f"{path}/") if self._excluded is not None else None
        return name not in EXCLUDED_FOLDERS if verdict is None else not verdict

    def takes(self, path: str) -> bool:
        """Return whether the file at ``path`` is to be looked at."""
        wanted = self._included.verdict(path) if self._included is not None else path.endswith(self._suffixes)
        return bool(wanted) and not (self._excluded is not None and self._excluded.verdict(path))

    def reaches_named(self, path: str) -> bool:
        """Return whether a file that is named, by its absolute path, is none of those that are left out."""
        root = os.getcwd()
        inside = os.path.relpath(path, root)
        if _is_outside(inside):
            return self._excluded is None or not self._excluded.verdict(path)
        return self.reaches(root, inside)

    def reaches(self, root: str, inside: str) -> bool:
        """Return whether a walk from ``root`` comes through the folders of ``inside`` to its file."""
        *folders, _ = inside.split(os.sep)
        path = root
        for name in folders:
            path = os.path.join(path, name)
            if not self.enters(path, name):
                return False
        return self._excluded is None or not self._excluded.verdict(os.path.join(root, inside))


class _Walk:
    """One walk through a folder; names in it are relative to the root, with "/" between."""

    def __init__(self, root: str, real: str, choice: _Choice, problems: list[Problem]) -> None:
        self._root = root
        self._real = real
        self._choice = choice.within(real)
        self._problems = problems

    def names(self) -> Iterator[str]:
        """Yield the names of the files, in no special order."""
        pending = [("", tuple(self._outer_ignores()))]
        while pending:
            folder, ignores = pending.pop()
            entries = self._list(folder)
            names = {entry.name for entry in entries}
            if ".git" in names:
                # A work tree, of which the ignore files around it do not speak.
                ignores = tuple(self._read_ignore(os.path.join(self._root, folder, _EXCLUDE_FILE), folder, ""))
            if ".gitignore" in names:
                ignores = (*self._read_ignore(os.path.join(self._root, folder, ".gitignore"), folder, ""), *ignores)
            for entry in entries:
                name = folder + entry.name
                path = os.path.join(self._real, name)
                if entry.is_dir(follow_symlinks=False):
                    if self._choice.enters(path, entry.name) and not _is_ignored(f"{name}/", ignores):
                        pending.append((f"{name}/", ignores))
                elif self._choice.takes(path) and not _is_ignored(name, ignores):
                    yield from self._file(entry, name)

    def _list(self, folder: str) -> list[os.DirEntry[str]]:
        path = os.path.join(self._root, folder)
        try:
            with os.scandir(path or ".") as entries:
                return list(entries)
        except OSError as error:
            self._problems.append(Problem(path or ".", _reason(error)))
            return []

    def _file(self, entry: os.DirEntry[str], name: str) -> Iterator[str]:
        """Yield the file behind ``entry``, a linked one by its real path if that lies in the walked folder."""
        if entry.is_file(follow_symlinks=False):
            yield name
        elif entry.is_symlink() and os.path.isfile(entry.path):
            inside = os.path.relpath(os.path.realpath(entry.path), self._real)
            if not _is_outside(inside) and self._choice.reaches(self._real, inside):
                yield inside

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
        found += self._read_ignore(os.path.join(above[top], _EXCLUDE_FILE), "", below)
        # A root that is ignored itself was named by hand: what speaks against all of it does not count.
        if not _is_ignored("", tuple(found)):
            yield from found

    def _read_ignore(self, path: str, folder: str, below: str) -> Iterator[_IgnoreFile]:
        if not os.path.lexists(path):
            return
        try:
            lines = os.fsdecode(read_regular_file(path).removeprefix(codecs.BOM_UTF8)).split("\n")
        except SourceError as error:
            self._problems.append(Problem(path, error.message))
            return
        yield _IgnoreFile(folder, below, Patterns(line.removesuffix("\r") for line in lines))


def _is_ignored(name: str, ignores: Iterable[_IgnoreFile]) -> bool:
    """Ask the ignore files, the nearest first: the first that has a pattern for ``name`` decides."""
    return next((verdict for ignore in ignores if (verdict := ignore.verdict(name)) is not None), False)
