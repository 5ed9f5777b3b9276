"""Conditions that speak of processes: which of them run a branch, and whether the wrapper of a model is thought of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from prepare_fix.flow.events import Guard

_ONE = frozenset({"is_main_process", "is_local_main_process", "is_last_process"})
_INDEX = frozenset({"process_index", "local_process_index"})
# What has one of these in it may tell how many processes run, or what kind of wrapper there is.
_TELLS = (
    r"num_processes|world_size|distribut|ddp|(?<!from_)parallel|n_?gpu|multi_?gpu|num_?devices|device_count"
    r"|deepspeed|fsdp|[\"']module[\"']"
)
_KEEPS = re.compile(_TELLS, re.IGNORECASE)
# In a condition, any question about what something is may be about the wrapper.
_ASKS = re.compile(rf"{_TELLS}|hasattr|isinstance|getattr|\btype\(|single", re.IGNORECASE)


def says_one_process(test: ast.expr, holds: bool) -> bool:
    """Return whether ``test`` coming out as ``holds`` means that only one process, or one per machine, is here."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return says_one_process(test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And) is holds
        return every and any(says_one_process(value, holds) for value in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        zero = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value == 0
        equal = isinstance(test.ops[0], ast.Eq) if holds else isinstance(test.ops[0], ast.NotEq)
        return isinstance(test.left, ast.Attribute) and test.left.attr in _INDEX and zero and equal
    return isinstance(test, ast.Attribute) and test.attr in _ONE and holds


def says_other_processes(test: ast.expr, holds: bool) -> bool:
    """Return whether ``test`` coming out as ``holds`` means that the one process is not here."""
    return says_one_process(test, not holds)


def asks_for_wrappers(text: str) -> bool:
    """Return whether a condition with this text may ask how many processes run, or how a model is wrapped."""
    return _ASKS.search(text) is not None


def tells_of_wrappers(text: str) -> bool:
    """Return whether a value with this text may be the number of processes, or say how a model is wrapped."""
    return _KEEPS.search(text) is not None


def one_process_guard(guards: Iterable[Guard]) -> Guard | None:
    """Return the first of ``guards`` that lets only one process pass."""
    return next((guard for guard in guards if says_one_process(guard.test, guard.holds)), None)


def leaves_one_process(statement: ast.If) -> bool:
    """Return whether behind ``statement`` only one process goes on: all others return, or go to the next round."""
    leaves = isinstance(statement.body[-1], (ast.Return, ast.Continue, ast.Break, ast.Raise))
    return leaves and says_other_processes(statement.test, True)
