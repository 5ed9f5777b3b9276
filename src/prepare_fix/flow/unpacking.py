"""Whether the targets of a prepare call fit its arguments."""

from __future__ import annotations

import ast

from prepare_fix.flow.events import Binding, PrepareCall


def intended_order(call: PrepareCall) -> tuple[int, ...] | None:
    """Return the order of the targets that the names of the arguments ask for, as indexes of the targets as they are.

    Names count by their last part: ``self.model`` is meant for ``model``. None where the targets are in order, or where
    names don't say.
    """
    if call.binding is not Binding.UNPACKED or call.count != len(call.targets) or len(call.arguments) != call.count:
        return None
    names = [argument.place.last for argument in call.arguments if argument.place is not None]
    targets = [target.last for target in call.targets if target is not None]
    if not len(set(names)) == len(set(targets)) == call.count:
        return None
    moved = [index for index, name in enumerate(names) if name in targets and targets[index] != name]
    if len(moved) < 2 or {names[index] for index in moved} != {targets[index] for index in moved}:
        return None
    return tuple(targets.index(name) if index in moved else index for index, name in enumerate(names))


def has_star(call: PrepareCall) -> bool:
    """Return whether a star hides how many objects are handed over, or where they go."""
    return any(isinstance(node, ast.Starred) for node in call.target_nodes) or any(
        each.starred for each in call.arguments
    )


def fits(call: PrepareCall) -> bool:
    """Return whether the targets, where there are any, are as many as the arguments, and in their order."""
    if call.binding is not Binding.UNPACKED or call.count is None or has_star(call):
        return True
    return call.count == len(call.targets) and intended_order(call) is None
