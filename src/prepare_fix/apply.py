"""Write what a run came up with, so that each file can be brought back by git or by ``undo``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult
from prepare_fix.journal import Journal
from prepare_fix.pipeline import check_document, do_bytes
from prepare_fix.settings import Settings
from prepare_fix.sources.files import check_replaceable, read_file, replace_file, uninterrupted
from prepare_fix.worktree import find_uncommitted


def find_refusals(paths: Sequence[str], allow_dirty: bool) -> dict[str, SourceError]:
    """Return those of ``paths`` that a ``Writer`` would not write, as far as can be seen before, with the reasons."""
    uncommitted = {} if allow_dirty else find_uncommitted(paths)
    refusals = {path: SourceError("refused", reason) for path, reason in uncommitted.items()}
    for path in paths:
        try:
            check_replaceable(path)
        except SourceError as error:
            refusals.setdefault(path, error)
    return refusals


class Writer:
    """Writes the files of one run, one after the other.

    ``unrecorded`` counts the files that undo can't bring back, as no journal could be kept; ``journal_error`` says why.
    """

    def __init__(self, settings: Settings, allow_dirty: bool = False) -> None:
        self.journal_error = ""
        self.unrecorded = 0
        self._settings = settings
        self._allow_dirty = allow_dirty
        self._journal = Journal()

    def write(self, results: Sequence[FileResult], count: Callable[[], None]) -> Iterator[FileResult]:
        """Write the files that change; where one must not be written, yield what is found in it, and the reason.

        ``count`` is called for each that is done, before an interruption can come in between.
        """
        changing = [result.path for result in results if result.after is not None]
        uncommitted = {} if self._allow_dirty else find_uncommitted(changing)
        try:
            for result in results:
                yield result if result.after is None else self._write(result, result.after, uncommitted, count)
        finally:
            self._journal.close()

    def _write(
        self, result: FileResult, after: bytes, uncommitted: Mapping[str, str], count: Callable[[], None]
    ) -> FileResult:
        try:
            # What git calls a change may be what another run wrote in the meantime.
            if result.path in uncommitted and read_file(result.path) != after:
                raise SourceError("refused", uncommitted[result.path])
            self._record(result.path, result.before, after)
            with uninterrupted():
                replace_file(result.path, result.before, after)
                count()
            self.unrecorded += self.journal_error != ""
        except SourceError as error:
            unchanged = do_bytes(result.before, result.path, self._settings, check_document, in_tree=True)
            return replace(unchanged, error=FileError(result.path, error.kind, error.message))
        return result

    def _record(self, path: str, before: bytes, after: bytes) -> None:
        if self.journal_error:
            return
        try:
            self._journal.record(path, before, after)
        except OSError as error:
            # Without a journal the run goes on: a read-only home must not keep people from fixing their files.
            self.journal_error = error.strerror or str(error)
