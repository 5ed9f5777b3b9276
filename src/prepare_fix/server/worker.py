"""One thread for all that takes long, so that the server always answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

_Result = TypeVar("_Result")
# The parsers of deeply nested code need more than what some systems give to a thread that is not the first.
_STACK_BYTES = 64 * 2**20


class Worker:
    """Does one piece of work after the other; what nobody waits for any more before it begins is left out.

    Unlike those of an executor, its thread is not waited for when the program ends.
    """

    def __init__(self, first: Callable[[], object]) -> None:
        """Begin with ``first``, for which nobody waits."""
        self._first = first
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        before = threading.stack_size(_STACK_BYTES)
        threading.Thread(target=self._work, name="prepare-fix", daemon=True).start()
        threading.stack_size(before)

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Return what ``work`` returns, or raise what it raises."""
        future: Future[_Result] = Future()
        self._jobs.put((future, work))
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        self._first()
        while True:
            future, work = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except Exception as error:  # whoever waits is told
                future.set_exception(error)
