"""How far a long run has come: a line on standard error, for people only."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

_PATIENCE = 1.0  # seconds without a word
_STEP = 0.1  # seconds between two


class Progress:
    """Counts what is done; shows it on a terminal once the work lasts, and tells it to whoever interrupts the work."""

    def __init__(self, done: str, total: int, is_quiet: bool, advice: str = "") -> None:
        """Prepare to count up to ``total`` files, of which one then says that they are ``done``.

        ``advice`` is for those who interrupt the work after the first.
        """
        self.count = 0
        self._done = done
        self._total = total
        self._advice = advice
        self._is_shown = not is_quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + _PATIENCE
        self._is_on_screen = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_on_screen:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        if isinstance(error, KeyboardInterrupt):
            error.args = (f"{self}{self._advice if self.count else ''}",)

    def __str__(self) -> str:
        return f"{self.count} of {self._total} {'file' if self._total == 1 else 'files'} {self._done}"

    def advance(self) -> None:
        """Count one more file."""
        self.count += 1
        if self._is_shown and (now := time.monotonic()) >= self._next:
            sys.stderr.write(f"\r\x1b[Kprepare-fix: {self}")
            sys.stderr.flush()
            self._is_on_screen = True
            self._next = now + _STEP
