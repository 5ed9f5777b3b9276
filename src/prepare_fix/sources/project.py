"""The other modules of the tree that a checked file lies in, for what it imports from them. Nothing is ever run."""

from __future__ import annotations

import os
from functools import lru_cache

from prepare_fix.sources.text import SourceText

# A tree ends where one of these lies.
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
MAX_LEVELS = 6
MAX_BYTES = 1_000_000


def find_module(module: str, importer: str) -> SourceText | None:
    """Return the source of the module that the file ``importer`` imports as ``module``; None where the tree has none.

    ``module`` is dotted, with leading dots for a relative import. An absolute one is looked for beside the importer and
    in the folders above it, up to the root of its project. Files that can't be read as UTF-8 count as not there.
    """
    level = len(module) - len(module.lstrip("."))
    parts = [part for part in module[level:].split(".") if part]
    folder = os.path.dirname(os.path.abspath(importer))
    for _ in range(level - 1):
        folder = os.path.dirname(folder)
    for place in [folder] if level else folders_up(folder):
        path = os.path.join(place, *parts)
        for candidate in (f"{path}.py", os.path.join(path, "__init__.py")):
            if os.path.isfile(candidate) and os.path.abspath(candidate) != os.path.abspath(importer):
                return _read(candidate, os.stat(candidate).st_mtime_ns)
    return None


@lru_cache(maxsize=256)
def folders_up(folder: str) -> list[str]:
    """Return ``folder`` and those above it, up to the root of the project."""
    found = [folder]
    for _ in range(MAX_LEVELS):
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS):
            return found
        folder = os.path.dirname(folder)
        found.append(folder)
    return found[:1]  # no project around it: only what lies beside the file


@lru_cache(maxsize=256)
def _read(path: str, changed: int) -> SourceText | None:
    """Return the text of a file; ``changed`` is its time stamp, so that a changed file is read again."""
    if os.path.getsize(path) > MAX_BYTES:
        return None
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return SourceText(file.read(), path)
    except (OSError, UnicodeDecodeError):
        return None
