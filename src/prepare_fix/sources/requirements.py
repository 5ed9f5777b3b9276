"""Which releases of accelerate the project of a file asks for. Its files are read; nothing of it is ever run.

What can't be read, or is written in a way that is not known here, counts as not said.
"""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from glob import escape, glob
from typing import Any

from prepare_fix.sources.project import MAX_BYTES, folders_up

# The numbers of a release without zeros at the end, so that tuples compare as releases do.
Release = tuple[float, ...]
Reader = Callable[[str], Iterator[str]]

_END: Release = (float("inf"),)
_REQUIREMENT = re.compile(
    r"accelerate\s*(?:\[[^]]*\])?\s*\(?\s*([=<>!~](?:(?!--)[^;#()\\])*)?\)?\s*(?:[;#@\\].*|--.*)?",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE = re.compile(r"(\^|~=|~|={1,3}|!=|[<>]=?)?\s*v?(\d+(?:\.\d+)*)(\.\*)?(?:[-_.]?[a-z][\w.+-]*)?", re.IGNORECASE)
# The tables of pyproject.toml and of lock files that name packages; `optional-dependencies` ends so too.
_TABLES = ("dependencies", "dependency-groups", "package", "default", "develop")


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases from ``lowest`` on and before ``limit``.

    ``stated`` names the requirement and the file where it stands; empty where there is none.
    """

    lowest: Release = ()
    limit: Release = _END
    stated: str = ""

    def may_precede(self, release: tuple[int, ...]) -> bool:
        """Return whether a release before ``release`` is among them."""
        return self.lowest < release

    def may_reach(self, release: tuple[int, ...]) -> bool:
        """Return whether ``release`` or a later one is among them."""
        return release < self.limit


ANY = Releases()


def find_releases(path: str) -> Releases:
    """Return the releases that the project of the file at ``path`` asks for; ``ANY`` where it does not say.

    The nearest folder upwards that says it counts, and in a folder what is declared before what a lock file has chosen.
    """
    for folder in folders_up(os.path.dirname(os.path.abspath(path))):
        for pattern, read in _READERS:
            for found in sorted(glob(os.path.join(escape(folder), pattern))):
                releases = _read(found, os.path.relpath(found, folder).replace(os.sep, "/"), read)
                if releases != ANY:
                    return releases
    return ANY


def _read(path: str, name: str, read: Reader) -> Releases:
    try:
        status = os.stat(path)
        # Reading a named pipe would wait for whoever writes into it.
        is_read = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
        return _read_once(path, name, read, status.st_mtime_ns) if is_read else ANY
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ANY


@lru_cache(maxsize=256)
def _read_once(path: str, name: str, read: Reader, changed: int) -> Releases:
    """Return the releases that a file speaks of; ``changed`` is its time stamp, so that a changed file is read again.

    Where it speaks of them more than once, as for several extras, those that any of its words admits.
    """
    with open(path, "rb") as file:
        text = file.read().decode("utf-8-sig")
    if "accelerate" not in text.lower():
        return ANY
    constraints = list(dict.fromkeys(map(str.strip, read(text))))
    ranges = [_parse(constraint) for constraint in constraints]
    lowest = min((low for low, _ in ranges), default=())
    limit = max((high for _, high in ranges), default=_END)
    if (lowest, limit) == ((), _END) or lowest >= limit:
        return ANY
    return Releases(lowest, limit, f"{' or '.join(map(_tell, constraints))} in {name}")


def _tell(constraint: str) -> str:
    return f"accelerate{constraint}" if constraint[:1] in set("<=>!~") else f"accelerate {constraint}".strip()


def _parse(constraint: str) -> tuple[Release, Release]:
    """Return the first release of a constraint, and the end of its releases.

    Raises:
        ValueError: it is written in a way that is not known here.
    """
    lowest: Release = ()
    limit = _END
    for clause in filter(None, map(str.strip, constraint.split(","))):
        found = _CLAUSE.fullmatch(clause)
        if found is None and clause != "*":
            raise ValueError(clause)
        if found is not None:
            low, high = _bounds(found[1] or "==", [int(part) for part in found[2].split(".")], bool(found[3]))
            lowest, limit = max(lowest, low), min(limit, high)
    return lowest, limit


def _bounds(operator: str, parts: list[int], any_patch: bool) -> tuple[Release, Release]:
    """Return where ``operator release`` begins and ends; ``any_patch`` says that ``.*`` follows."""
    release = _release(parts)
    if operator == "!=":
        return (), _END
    if operator.startswith(">"):
        return release, _END
    if operator == "<":
        return (), release
    # What comes next after a release is the same with a zero behind it.
    last = {
        "~=": max(len(parts) - 2, 0),
        "~": min(len(parts) - 1, 1),
        "^": next((index for index, part in enumerate(parts) if part), len(parts) - 1),
    }.get(operator, len(parts) - 1 if any_patch else None)
    limit = (*release, 0) if last is None else _release([*parts[:last], parts[last] + 1])
    return (() if operator == "<=" else release), limit


def _release(parts: list[int]) -> Release:
    end = len(parts)
    while end and not parts[end - 1]:
        end -= 1
    return tuple(parts[:end])


def _in_lines(text: str) -> Iterator[str]:
    """Yield the constraints of requirements that stand on lines of their own."""
    for line in text.splitlines():
        yield from _required(line)


def _in_strings(text: str) -> Iterator[str]:
    """Yield the constraints that stand in strings of a module; a name alone may mean anything there."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from filter(None, _required(node.value))


def _in_toml(text: str) -> Iterator[str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return _in_tables(tomllib.loads(text), False)


def _in_json(text: str) -> Iterator[str]:
    return _in_tables(json.loads(text), False)


def _in_tables(value: Any, names_packages: bool) -> Iterator[str]:
    """Yield the constraints in parsed TOML or JSON; ``names_packages`` says that ``value`` lies in such a table."""
    if isinstance(value, dict):
        if names_packages and value.get("name") == "accelerate" and isinstance(value.get("version"), str):
            yield value["version"]
        for key, each in value.items():
            version = each.get("version") if isinstance(each, dict) else each
            if names_packages and key == "accelerate" and isinstance(version, str):
                yield version
            else:
                yield from _in_tables(each, names_packages or key.endswith(_TABLES))
    elif isinstance(value, list):
        for each in value:
            yield from _required(each) if names_packages and isinstance(each, str) else _in_tables(each, names_packages)


def _required(text: str) -> Iterator[str]:
    """Yield the constraint, maybe an empty one, where ``text`` is a requirement of accelerate."""
    if found := _REQUIREMENT.fullmatch(" ".join(text.split())):
        yield found[1] or ""


_READERS: tuple[tuple[str, Reader], ...] = (
    ("pyproject.toml", _in_toml),
    ("setup.cfg", _in_lines),
    ("setup.py", _in_strings),
    ("requirements*.txt", _in_lines),
    ("requirements/*.txt", _in_lines),
    ("uv.lock", _in_toml),
    ("poetry.lock", _in_toml),
    ("pdm.lock", _in_toml),
    ("Pipfile.lock", _in_json),
)
