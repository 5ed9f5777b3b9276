"""CPU time and memory of a command, measured from outside."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a command and all that it started, and the most memory that one process of these held."""

    seconds: float
    mebibytes: float
    status: int

    @property
    def has_failed(self) -> bool:
        """Whether the command did not do its work, so that its time says nothing.

        Status 1 is what tools end with where they found something, or could not read some file of a large tree.
        """
        return self.status not in {0, 1}


def run(command: Sequence[str], **options: object) -> Cost:
    """Run ``command``, throw away what it prints, and return what it cost."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,  # type: ignore[call-overload]
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode)


def worst_status(costs: Sequence[Cost]) -> int:
    """Return the status of a run that failed, of any where none did."""
    return max((cost.status for cost in costs), key=lambda status: (status not in {0, 1}, status))


def middle(costs: Sequence[Cost]) -> Cost:
    """Return the median of the times, with the largest memory."""
    return Cost(
        median(cost.seconds for cost in costs),
        max(cost.mebibytes for cost in costs),
        worst_status(costs),
    )
