"""What the last fixes changed, kept outside of the project, so that they can be taken back.

One file for each run that wrote something: a line of JSON about the run, then one for each file, written before the
file is. A line that a crash cut short tells of a file that was not written.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from prepare_fix.errors import SourceError
from prepare_fix.sources.files import read_regular_file, replace_file

VERSION = 1
KEPT_RUNS = 100
_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Change:
    """One written file: its real path, its content before, and the hashes of what was and what became."""

    path: str
    before: bytes
    before_hash: str
    after_hash: str


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run that wrote files: its journal, the folder that it was started in, and the changes in their order."""

    journal: str
    folder: str
    changes: tuple[Change, ...]


def find_folder() -> str:
    """Return the folder of all journals, which may not be there yet."""
    from platformdirs import user_state_path

    return str(user_state_path("prepare-fix", appauthor=False) / "undo")


class Journal:
    """The journal of one run; the file comes into being with the first change."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def record(self, path: str, before: bytes, after: bytes) -> None:
        """Keep what is needed to take the change of the file at ``path`` back.

        Raises:
            OSError: it could not be kept.
        """
        if self._descriptor is None:
            self._descriptor = _create()
            self._write({"version": VERSION, "folder": os.getcwd()})
        self._write(
            {
                "path": os.path.realpath(path),
                "before": _hash(before),
                "after": _hash(after),
                "content": base64.b64encode(zlib.compress(before)).decode("ascii"),
            }
        )

    def close(self) -> None:
        """Bring the journal to the disk."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with contextlib.suppress(OSError):
                os.fsync(descriptor)
            os.close(descriptor)

    def _write(self, entry: dict[str, Any]) -> None:
        assert self._descriptor is not None
        line = memoryview(json.dumps(entry).encode("ascii") + b"\n")
        while line:
            line = line[os.write(self._descriptor, line) :]


def _create() -> int:
    folder = find_folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _prune(folder)
    # Source of the user's projects: for nobody else's eyes.
    name = os.path.join(folder, f"{time.time_ns():020}-{os.getpid()}{_SUFFIX}")
    return os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)


def _prune(folder: str) -> None:
    for name in _list_journals(folder)[KEPT_RUNS - 1 :]:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(folder, name))


def _list_journals(folder: str) -> list[str]:
    """Return the names of all journals, the newest first."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(_SUFFIX) and entry.is_file()]
        return sorted(names, reverse=True)
    except FileNotFoundError:
        return []


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


# Taking back.


def find_last_run(scope: str) -> PastRun | None:
    """Return the newest run that was started in the folder ``scope`` or below, or that changed a file there.

    A run of which nothing is left, as all its files are again what they were, does not count.

    Raises:
        OSError: the journals can't be read.
    """
    folder = find_folder()
    inside = os.path.join(os.path.realpath(scope), "")
    for name in _list_journals(folder):
        run = _read_run(os.path.join(folder, name))
        places = (os.path.join(run.folder, ""), *(change.path for change in run.changes)) if run is not None else ()
        if run is not None and any(place.startswith(inside) for place in places) and not _is_void(run):
            return run
    return None


def _read_run(path: str) -> PastRun | None:
    """Return the run that the journal at ``path`` tells of; ``None`` where it changed nothing, or can't be read."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    try:
        head, *entries = map(json.loads, lines)
        if head["version"] != VERSION:
            return None
        folder, changes = _checked_path(head["folder"]), tuple(map(_read_change, entries))
    except (ValueError, KeyError, TypeError, zlib.error, RecursionError):
        return None
    return PastRun(path, folder, changes) if changes else None


def _read_change(entry: Any) -> Change:
    before = zlib.decompress(base64.b64decode(entry["content"]))
    return Change(_checked_path(entry["path"]), before, entry["before"], entry["after"])


def _checked_path(path: Any) -> str:
    if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
        raise ValueError(path)
    return path


def _is_void(run: PastRun) -> bool:
    return all(_is_as_before(change) for change in run.changes)


def _is_as_before(change: Change) -> bool:
    try:
        return _hash(read_regular_file(change.path)) == change.before_hash
    except SourceError:
        return False


def restore(run: PastRun) -> Iterator[tuple[str, SourceError | None]]:
    """Take the changes of ``run`` back; yield the path of each file, and why it was left as it is, if it was.

    A file that is already as it was before is passed over. Once none is left, the journal goes.
    """
    failed = False
    for change in run.changes:
        try:
            if _restore(change):
                yield change.path, None
        except SourceError as error:
            failed = True
            yield change.path, error
    if not failed:
        with contextlib.suppress(OSError):
            os.unlink(run.journal)


def _restore(change: Change) -> bool:
    # The journal holds real paths: what is reached through a link now is another file.
    if os.path.realpath(change.path) != change.path:
        raise SourceError("refused", "it is a link by now, or lies behind one")
    now = read_regular_file(change.path)
    if _hash(now) == change.before_hash:
        return False
    if _hash(now) != change.after_hash:
        raise SourceError("refused", "the file changed since the fix")
    if _hash(change.before) != change.before_hash:
        raise SourceError("internal", "the journal is damaged")
    replace_file(change.path, now, change.before)
    return True
