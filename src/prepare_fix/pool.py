"""Many files: read here, and looked at here or by several processes, whichever is done first.

Most files of most trees are out after a search for a few bytes, which no process can make faster. Only what is left
decides: a pool has to earn the time that it takes to start. The results are the same either way.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from prepare_fix.candidates import is_candidate
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult
from prepare_fix.settings import Settings
from prepare_fix.sources.files import read_file

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from prepare_fix.pipeline import Work

# Bytes of candidates that keep a process busy for as long as some ten starts of one take. Where processes can't be
# forked they import everything anew.
FORKED_SHARE = 150_000
SPAWNED_SHARE = 2_000_000
COLLECTED_AFTER = 1000
_looked = count(1)


def do_files(paths: Sequence[str], settings: Settings, work: Work, jobs: int = 0) -> Generator[FileResult, None, None]:
    """Do ``work`` on the files at ``paths``; yield one result each, in any order.

    ``jobs`` is how many processes may be used, 0 for as many as there are cores; fewer are where more do not pay.
    """
    with _without_collections():
        yield from _do_files(paths, settings, work, jobs or _count_cores())


def _do_files(paths: Sequence[str], settings: Settings, work: Work, limit: int) -> Iterator[FileResult]:
    share = FORKED_SHARE if _can_fork() else SPAWNED_SHARE
    candidates: list[tuple[int, str]] = []
    for path in paths:
        raw = _read_candidate(path)
        if isinstance(raw, FileResult):
            yield raw
        elif limit == 1:
            yield _look(path, settings, work, raw)
        else:
            # Read again by whoever looks at it: cheaper than to hold it, or to send it.
            candidates.append((len(raw), path))
    # The largest first, or one that comes late would be waited for by all.
    waiting = [path for _, path in sorted(candidates, reverse=True)]
    workers = min(limit, sum(size for size, _ in candidates) // share, len(candidates))
    if workers > 1:
        yield from _Pool(settings, work, workers).do(waiting)
    else:
        yield from (_look(path, settings, work) for path in waiting)


def _read_candidate(path: str) -> bytes | FileResult:
    """Return the content of a file that has to be looked at; the result of one that has not, or can't be read."""
    try:
        raw = read_file(path)
    except SourceError as error:
        return FileResult(path, error=FileError(path, error.kind, error.message))
    return raw if is_candidate(raw) else FileResult(path)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let no cycles be looked for.

    Traces and trees go with their last reference. Looking for cycles among them took a fourth of a run over 208
    scripts, which is no smaller for it: 57 MiB with collections, 49 without.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _look(path: str, settings: Settings, work: Work, raw: bytes | None = None) -> FileResult:
    # Where no file mentions Accelerate, nothing is imported that would look into one.
    from prepare_fix.pipeline import do_bytes, do_file

    if next(_looked) % COLLECTED_AFTER == 0:
        # What an error left behind, say, must not add up over a hundred thousand files.
        gc.collect()
    return do_file(path, settings, work) if raw is None else do_bytes(raw, path, settings, work, in_tree=True)


def _count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork() -> bool:
    # Elsewhere the system's own libraries do not stand it.
    return sys.platform == "linux"


class _Worker:
    """A process that does one file after the other, and this end of the line to it."""

    def __init__(self, context: Any, settings: Settings, work: Work, lines: Sequence[Connection]) -> None:
        self.line, other = context.Pipe()
        self.path: str | None = None
        inherited = (*lines, self.line) if _can_fork() else ()
        self.process: BaseProcess = context.Process(target=_serve, args=(other, inherited, settings, work), daemon=True)
        self.process.start()
        other.close()

    def give(self, path: str) -> None:
        """Have the file at ``path`` looked at."""
        self.path = path
        self.line.send(path)

    def take(self) -> FileResult:
        """Return the result for the last file that was given."""
        path, self.path = self.path or "", None
        try:
            result: FileResult = self.line.recv()
        except (EOFError, OSError):
            self.process.join()
            message = f"the process that looked at it ended with status {self.process.exitcode}"
            return FileResult(path, error=FileError(path, "internal", message))
        return result

    def end(self) -> None:
        """Stop at once."""
        self.line.close()
        self.process.kill()
        self.process.join()


class _Pool:
    """The processes for one run. They are few lines of our own, as those of the standard library hang or give up all
    the work where one process is killed, for want of memory say.
    """

    def __init__(self, settings: Settings, work: Work, size: int) -> None:
        from multiprocessing import get_context

        self._context = get_context("fork" if _can_fork() else "spawn")
        self._settings = settings
        self._work = work
        self._size = size
        self._workers: list[_Worker] = []

    def do(self, paths: Sequence[str]) -> Iterator[FileResult]:
        """Yield the result for each of ``paths`` as it comes; they are given out in their order."""
        from multiprocessing.connection import wait

        waiting = list(reversed(paths))
        try:
            while waiting or self._workers:
                while waiting and len(self._workers) < self._size:
                    self._start().give(waiting.pop())
                lines = {worker.line: worker for worker in self._workers}
                for line in wait(list(lines)):
                    worker = lines[line]
                    yield worker.take()
                    if waiting and worker.process.is_alive():
                        worker.give(waiting.pop())
                    else:
                        self._workers.remove(worker)
                        worker.end()
        finally:
            for worker in self._workers:
                worker.end()

    def _start(self) -> _Worker:
        worker = _Worker(self._context, self._settings, self._work, [worker.line for worker in self._workers])
        self._workers.append(worker)
        return worker


def _serve(line: Connection, inherited: Sequence[Connection], settings: Settings, work: Work) -> None:
    """Do what comes over ``line``, in a process of its own, until nothing more does."""
    import signal

    # Ctrl-C goes to all processes of a terminal; the one that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    # With these open the end of that process would not be seen here.
    for other in inherited:
        other.close()
    try:
        gc.disable()
        while True:
            line.send(_look(line.recv(), settings, work))
    except (EOFError, OSError):
        return
