"""The rules, one per module: what is wrong, and which repair. Nothing is registered, the package is walked."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from prepare_fix.findings import Finding
    from prepare_fix.flow.trace import Trace


OF_THE_LOOP = frozenset({"PF104", "PF110", "PF403", "PF404", "PF405", "PF406"})
"""How schedules and gradient accumulation go on with prepared objects; without accumulation these are right on one
process."""


class Rule(ABC):
    """One kind of mistake. The docstring of a rule class is its page: see CONTRIBUTING for the fixed parts."""

    code: ClassVar[str]
    """Such as ``PF101``; the hundred is the group, and a code is never used again for something else."""
    name: ClassVar[str]
    """Such as ``model-without-optimizer``: says the fault, never the remedy."""
    summary: ClassVar[str]
    """One line for tables and lists."""
    uncovers: ClassVar[frozenset[str]] = frozenset()
    """Codes of the rules whose question has an answer only once this mistake is mended: what they find then was wrong
    before, and is no objection to the repair."""

    @abstractmethod
    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield what is wrong with the script behind ``trace``, in any order."""


@cache
def discover() -> tuple[Rule, ...]:
    """Return one instance of each rule of this package, sorted by code."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("pf"):
            members = vars(importlib.import_module(f"{__name__}.{module.name}")).values()
            classes = [member for member in members if isinstance(member, type)]
            # Python 3.10 takes an alias such as tuple[int, str] for a type, but not for a class.
            own = [each for each in classes if each.__module__.endswith(module.name)]
            found += [each for each in own if issubclass(each, Rule)]
    return tuple(sorted((rule() for rule in found), key=lambda rule: rule.code))
