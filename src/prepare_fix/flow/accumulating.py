"""How gradients are accumulated: by which accelerator, over how many micro batches, and in which blocks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cached_property

from prepare_fix.flow.events import AcceleratorCall, AttributeWrite, Guard, Surroundings, SymbolCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Value
from prepare_fix.flow.recognise import ACCELERATOR_NAMES, ACCUMULATE_METHODS, CLIP_CALLS, DIVIDING_METHODS
from prepare_fix.flow.roles import Roles

# What scripts ask for that tell micro batches from updates themselves.
# (Who only reads ``sync_gradients`` does not: without ``accumulate`` it always holds.)
_BY_HAND = re.compile(r"\b(?:no_sync|gradient_state|GradientState|LocalSGD|_do_sync|sync_gradients\s*=(?!=))\b")
_KEYWORDS = frozenset({"gradient_accumulation_steps", "gradient_accumulation_plugin"})


class Accumulating(Roles):
    """Adds what is known of gradient accumulation."""

    @cached_property
    def accelerator_calls(self) -> tuple[AcceleratorCall, ...]:
        """The calls of accelerator methods other than prepare and backward."""
        return self._in_order(self._log.accelerator_calls.values())

    def accumulation(self, owners: Iterable[ObjectId]) -> ast.expr | None:
        """Return the number of micro batches per update (or the plugin that says it), as it is written where one of
        the accelerators ``owners`` is built, or set afterwards; None where it is written nowhere, or is 1."""
        for owner in sorted(owners):
            node = self.objects[owner].node
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg in _KEYWORDS and self.constant(keyword.value) not in {1, None}:
                    return keyword.value
            if isinstance(node, ast.Call) and self._counts_set_later:
                return self._counts_set_later[0]
        return None

    def may_accumulate(self, owners: Iterable[ObjectId]) -> bool:
        """Return whether a number of micro batches is configured, or the file does not build the accelerator."""
        known = tuple(owners)
        if self.accumulation(known) is not None:
            return True
        # A file that neither prepares nor builds an accelerator is not looked at, whatever it does.
        comes_in = any(not isinstance(self.objects[owner].node, ast.Call) for owner in known)
        return comes_in and (bool(self.prepare_calls) or self._builds_accelerator)

    @cached_property
    def _builds_accelerator(self) -> bool:
        return any(obj.kind is Kind.ACCELERATOR and obj.node is not None for obj in self.objects.values())

    @cached_property
    def _counts_set_later(self) -> tuple[ast.expr, ...]:
        """What is assigned to ``accelerator.gradient_accumulation_steps``."""
        return tuple(
            node.value
            for node in self.statements
            if isinstance(node, ast.Assign) and len(node.targets) == 1
            for target in node.targets
            if isinstance(target, ast.Attribute) and target.attr == "gradient_accumulation_steps"
            if self.text(target.value).rpartition(".")[2] in ACCELERATOR_NAMES
            if self.constant(node.value) not in {1, None}
        )

    def constant(self, node: ast.expr) -> object:
        """Return the constant that an expression surely is: written there, or bound once, alone or in a dict; any other
        expression as it is."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            bound = self._bound_once.get(node.id)
            return bound.value if isinstance(bound, ast.Constant) else node
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            display = self._bound_once.get(node.value.id)
            if isinstance(display, ast.Dict) and isinstance(node.slice, ast.Constant):
                for key, value in zip(display.keys, display.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == node.slice.value:
                        return value.value if isinstance(value, ast.Constant) else node
        return node

    @cached_property
    def _bound_once(self) -> dict[str, ast.expr]:
        """What is assigned to the names that the file binds in one place only."""
        found: dict[str, list[ast.expr | None]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, []).append(None)
            elif isinstance(node, ast.arg):
                found.setdefault(node.arg, []).extend([None, None])
        # The target of an assignment is seen twice: with its value and as a name.
        return {name: values[0] for name, values in found.items() if len(values) == 2 and values[0] is not None}

    # --- blocks -------------------------------------------------------------------------------------------------------

    def accumulate_block(self, where: Surroundings) -> AcceleratorCall | None:
        """Return the innermost ``accelerator.accumulate`` call whose ``with`` block ``where`` lies in."""
        for node in reversed(where.accumulating):
            # One for each way that leads to the function: take that of ``where``.
            calls = self._accumulate_calls_at.get(id(node), ())
            if calls:
                return min(calls, key=lambda call: not set(call.where.guards) <= set(where.guards))
        return None

    @cached_property
    def _accumulate_calls_at(self) -> dict[int, list[AcceleratorCall]]:
        found: dict[int, list[AcceleratorCall]] = {}
        for call in self.accelerator_calls:
            if call.method == "accumulate":
                found.setdefault(id(call.node), []).append(call)
        return found

    @cached_property
    def accumulate_calls(self) -> tuple[AcceleratorCall, ...]:
        """The calls of ``accumulate`` and ``no_sync``, whatever becomes of them."""
        return tuple(call for call in self.accelerator_calls if call.method in ACCUMULATE_METHODS)

    @cached_property
    def accumulates_by_hand(self) -> bool:
        """Whether the script tells micro batches from updates itself."""
        return _BY_HAND.search(self.source.text) is not None

    def walk_of(self, loop: int) -> Use | None:
        """Return the use in which a loop walks a loader or something around one."""
        return next((use for use in self.uses if use.loop == loop and use.kind is UseKind.ITERATE), None)

    @cached_property
    def clip_calls(self) -> tuple[AcceleratorCall | SymbolCall, ...]:
        """The calls that clip gradients, through an accelerator or around it."""
        plain = [call for call in self.symbol_calls if call.path in CLIP_CALLS]
        through = [call for call in self.accelerator_calls if call.method in CLIP_CALLS.values()]
        return self._in_order([*plain, *through])

    def differs_by_round(self, where: Surroundings, outer: Surroundings, block: ast.AST) -> bool:
        """Return whether what happens at ``where`` may happen in some rounds of ``block``, which stands at ``outer``.

        So it does under a condition that asks for more than settings, and behind a way out of the block.
        """
        if any(self._asks_for_more(guard) for guard in self.own_guards(where, outer)):
            return True
        return any(
            isinstance(node, (ast.Continue, ast.Break, ast.Return)) and self.is_before(node, where.statement)
            for node in ast.walk(block)
        )

    def _asks_for_more(self, guard: Guard) -> bool:
        """Return whether a condition depends on something that is bound while the program runs in loops or calls."""
        return any(
            isinstance(node, ast.Call)
            or _counts_rounds(node)
            or (isinstance(node, ast.Name) and node.id in self._bound_in_loops)
            or (isinstance(node, (ast.Name, ast.Attribute)) and self._is_counted(ast.unparse(node)))
            for node in ast.walk(guard.test)
        )

    def _is_counted(self, place: str) -> bool:
        """Return whether a place keeps the answer to which round it is."""
        return any(_counts_rounds(node) for source in self.sources_bound_to(place) for node in ast.walk(source))

    @cached_property
    def _bound_in_loops(self) -> frozenset[str]:
        """The variables that are bound within loops, anywhere in the file."""
        return frozenset(
            node.id
            for loop in self.statements
            if isinstance(loop, (ast.For, ast.AsyncFor, ast.While))
            for node in ast.walk(loop)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )

    def is_before(self, first: ast.AST, second: ast.AST) -> bool:
        """Return whether ``first`` stands in front of ``second`` in the text."""
        return self.span(first).start < self.span(second).start

    def own_guards(self, where: Surroundings, outer: Surroundings) -> tuple[Guard, ...]:
        """Return the conditions that ``where`` stands under and ``outer``, which it lies in, does not."""
        return tuple(guard for guard in where.guards if guard not in outer.guards)

    def with_statement(self, call: AcceleratorCall) -> ast.With | ast.AsyncWith | None:
        """Return the ``with`` statement that a call of ``accumulate`` opens."""
        return next(
            (
                node
                for node in self.statements
                if isinstance(node, (ast.With, ast.AsyncWith))
                and any(item.context_expr is call.node for item in node.items)
            ),
            None,
        )

    def attributes(self, name: str) -> tuple[ast.Attribute, ...]:
        """Return where the attribute ``name`` of whatever object is read in the file."""
        return tuple(
            node
            for node in self.nodes
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        )

    @cached_property
    def writes(self) -> tuple[AttributeWrite, ...]:
        """The assignments to attributes of objects that may be models, and of parameters."""
        return self._in_order(self._log.writes.values())

    # --- losses that are divided by hand ------------------------------------------------------------------------------

    def divisions_by_count(self, loss: Value, count: ast.expr | None) -> tuple[ast.AST, ...]:
        """Return the divisions of a loss by the number of micro batches: the divisor is ``count`` (what the accelerator
        was given), is named after accumulation, or steps are counted by it."""
        return tuple(node for node in self.divisions_behind(loss) if self._is_by_count(node, count))

    def may_divide_by_count(self, loss: Value, count: ast.expr | None) -> bool:
        """Return whether the file divides anything by the number of micro batches: a loss in another function, say,
        or gradients; or another file divides the loss, by whatever it is."""
        if any(_divisor_of(node) is None for node in self.divisions_behind(loss)):
            return True
        given = ast.unparse(count) if count is not None and not isinstance(count, ast.Constant) else None
        last = given.rpartition(".")[2] if given is not None else None
        return any("accum" in name.lower() or name.rpartition(".")[2] == last for name in self._divisors)

    @cached_property
    def _divisors(self) -> tuple[str, ...]:
        """What the file divides by anywhere, and what that is bound to."""
        names = {ast.unparse(divisor) for node in self.nodes if (divisor := _divisor_of(node)) is not None}
        return (*names, *(ast.unparse(each) for name in names for each in self.sources_bound_to(name)))

    def is_same_count(self, division: ast.AST, count: ast.expr) -> bool:
        """Return whether a loss is divided by just the number that the accelerator was given, as far as names tell:
        there may be another number of micro batches for another phase."""
        divisor = _divisor_of(division)
        return divisor is not None and (
            "accelerat" in self.text(divisor).lower()
            or "plugin" in self.text(count).lower()
            or not self._spellings(divisor).isdisjoint(self._spellings(count))
        )

    def _spellings(self, node: ast.expr) -> set[str]:
        """Return the last names of an expression and of what is bound to it, and the constant that it is."""
        sources = [node, *self.sources_bound_to(ast.unparse(node))]
        return {ast.unparse(each).rpartition(".")[2] for each in sources} | {repr(self.constant(node))} - {"None"}

    def _is_by_count(self, node: ast.AST, count: ast.expr | None) -> bool:
        divisor = _divisor_of(node)
        if divisor is None:
            return False  # the call leads into another file
        text = self.text(divisor)
        if isinstance(divisor, ast.Constant):
            if isinstance(node, ast.BinOp) and self._is_sum(node.left):
                return False  # the mean of two losses is divided by 2 whatever is configured
            if count is not None and self.constant(count) == divisor.value:
                return True
        elif "accum" in text.lower() or (count is not None and text == self.text(count)):
            return True
        return re.search(rf"%\s*{re.escape(text)}(?!\w)", self.source.text) is not None

    def _is_sum(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            bound = self.assignments_to(node.id)
            return not bound or any(_adds(each.value) for each in bound)
        return _adds(node)


def _counts_rounds(node: ast.AST) -> bool:
    return isinstance(node, ast.Mod) or (isinstance(node, ast.Attribute) and node.attr == "sync_gradients")


def _adds(node: ast.AST) -> bool:
    return any(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add) for each in ast.walk(node))


def _divisor_of(node: ast.AST) -> ast.expr | None:
    """Return what a node divides by: with ``/``, ``/=``, ``.div`` or ``torch.div``; None where it does not say."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DIVIDING_METHODS:
        given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "other")]
        return given[-1] if given else None
    return None
