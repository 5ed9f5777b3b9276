"""The finished record of what happens to the objects of a script, and the questions that rules ask of it."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from prepare_fix.flow import recognise
from prepare_fix.flow.changes import Changes
from prepare_fix.flow.events import AcceleratorCall, PrepareCall, StaleRead, Use, UseKind
from prepare_fix.flow.frames import TraceLimitError
from prepare_fix.flow.imports import FindModule
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.schedules import Schedules
from prepare_fix.flow.statements import Statements
from prepare_fix.flow.wrapping import Wrapping
from prepare_fix.sources.text import SourceText

if TYPE_CHECKING:
    from prepare_fix.sources.requirements import Releases

# What is called on a batch, whatever kind of object it is taken for.
_OF_BATCHES = frozenset("to cuda cpu float half long size dim items keys values get pop".split())


class Trace(Changes, Schedules, Wrapping):
    """What happens to each object of one script: events, roles, training, and what is stale."""

    @cached_property
    def releases(self) -> Releases:
        """The releases of accelerate that the project of the file asks for; all of them for a text without a file."""
        # Few messages depend on it.
        from prepare_fix.sources.requirements import ANY, find_releases

        return find_releases(self.source.path) if self.source.in_tree else ANY

    @cached_property
    def stale_uses(self) -> tuple[Use, ...]:
        """The uses through which a superseded object may train."""
        return tuple(use for use in self.uses if self._is_stale_use(use)) if self.backwards else ()

    def _is_stale_use(self, use: Use) -> bool:
        stale = [number for number, stage in use.value if stage is Stage.SUPERSEDED]
        if not stale or self.is_without_accelerator(use.where):
            return False
        if use.kind is UseKind.ITERATE:
            return self.is_training(use)
        if use.kind is UseKind.CALL:
            return self._is_bound_step(use) or (self.is_training(use) and self._reads_text.isdisjoint(stale))
        roles = {self.role(number) for number in stale}
        if use.kind is UseKind.METHOD and use.name == "step":
            return bool(roles & {Role.OPTIMIZER, Role.SCHEDULER})
        return use.kind is UseKind.METHOD and use.name == "zero_grad" and bool(roles & {Role.OPTIMIZER, Role.MODEL})

    @cached_property
    def _reads_text(self) -> frozenset[ObjectId]:
        """What is called with nothing but a literal text: a tokenizer that hangs on a model, say, and no module."""
        return frozenset(
            number for use in self.uses if use.kind is UseKind.CALL and _is_text(use.call) for number, _ in use.value
        )

    def stale_training_uses(self, call: PrepareCall) -> tuple[Use, ...]:
        """Return the training uses of objects that ``call`` has superseded, and that no call before it had."""
        roots = {
            self.root(number) for argument in call.arguments for number, _ in argument.value if number in self.objects
        }
        return tuple(
            use
            for use in self.stale_uses
            if self.may_follow(use.where, call)
            if any(self._superseded_root(number) in roots for number, stage in use.value if stage is Stage.SUPERSEDED)
        )

    def _superseded_root(self, number: ObjectId) -> ObjectId:
        """Return the object that was prepared: ``number`` itself, or what it is a part of."""
        while not self._calls_by_object.get(number) and self.objects[number].part_of is not None:
            part_of = self.objects[number].part_of
            assert part_of is not None
            number = self.root(part_of)
        return number

    def superseded_roots(self, use: Use) -> tuple[ObjectId, ...]:
        """Return the objects that were prepared and are used raw in ``use``."""
        stale = {self._superseded_root(number) for number, stage in use.value if stage is Stage.SUPERSEDED}
        return tuple(sorted(stale))

    def stale_reads_in(self, node: ast.AST) -> tuple[StaleRead, ...]:
        """Return the names and attributes within ``node`` that give nothing but a superseded object, in any context."""
        inside = {id(each) for each in ast.walk(node)}
        reads: dict[int, list[StaleRead]] = {}
        for read in self._log.stale_reads.values():
            if id(read.node) in inside:
                reads.setdefault(id(read.node), []).append(read)
        return tuple(
            group[0]
            for group in reads.values()
            if all(stage is Stage.SUPERSEDED for read in group for _, stage in read.value)
        )

    def handing_over(self, use: Use) -> tuple[StaleRead, ...]:
        """Return where the raw objects of ``use`` come in: the reads of an argument in the call that led to its
        function, or of what an iterator was made from."""
        wanted = {number for number, stage in use.value if stage is Stage.SUPERSEDED}
        bound = [self._handed_in(source, wanted) for source in self.sources_bound_to(self.text(use.node))]
        if bound and all(bound):
            return tuple(read for reads in bound for read in reads)
        context = use.where.context
        while self._machine is not None and context:
            node = self._machine.context_calls[context]
            reads = self._handed_in(node, wanted) if isinstance(node, ast.Call) else ()
            if reads:
                return reads
            context = self._machine.context_parents[context]
        return ()

    def _handed_in(self, source: ast.AST, wanted: set[ObjectId]) -> tuple[StaleRead, ...]:
        """Return the reads within ``source`` of superseded objects among ``wanted`` that can be renamed."""
        reads = self.stale_reads_in(source)
        return tuple(read for read in reads if {number for number, _ in read.value} <= wanted and read.replacements)

    def misused_tuple(self, call: PrepareCall) -> tuple[Use, ...]:
        """Return the uses of the tuple that ``call`` returns as one object; none where it is ever taken apart."""
        if self._machine is None or call.result_container in self._machine.taken_apart:
            return ()
        return self._in_order(
            use
            for use in self._log.tuple_uses.values()
            if use.result == call.result_container
            if use.loop is None or (use.loop in self._training_loops and not self._takes_members(use.loop, call))
        )

    def _takes_members(self, loop: int, call: PrepareCall) -> bool:
        """Return whether a loop over the tuple of ``call`` uses a member as what it is: walks it, or has it step."""
        members = {number for value in call.results for number, _ in value}
        return any(
            use.kind in {UseKind.ITERATE, UseKind.CALL} or (use.kind is UseKind.METHOD and use.name not in _OF_BATCHES)
            for use in self.uses
            if loop in use.where.loops and not members.isdisjoint([number for number, _ in use.value])
        )

    def accumulated_stale(self) -> tuple[AcceleratorCall, ...]:
        """Return the ``accumulate`` and ``no_sync`` calls that are handed a superseded model."""
        return self._in_order(
            call
            for call in self._log.accelerator_calls.values()
            if call.method in recognise.ACCUMULATE_METHODS
            if any(stage is Stage.SUPERSEDED for value in call.arguments for _, stage in value)
        )


def _is_text(call: ast.AST | None) -> bool:
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return False
    given = call.args[0]
    return isinstance(given, ast.JoinedStr) or (isinstance(given, ast.Constant) and isinstance(given.value, str))


def build_trace(source: SourceText, find_module: FindModule | None = None) -> Trace:
    """Follow the objects of a script.

    A script that no cap would end gives a trace without events. ``find_module`` finds the source of what it imports
    from other files of its project; without it, imported functions are unknown.

    Raises:
        SyntaxError: the running Python cannot parse the text.
    """
    tree = ast.parse(source.text)
    if not recognise.can_matter(source.text):
        return Trace(source, tree, None)
    machine: Statements | None = Statements(source, tree)
    try:
        assert machine is not None
        machine.find_module = find_module
        machine.run_module()
    except TraceLimitError:
        machine = None
    return Trace(source, tree, machine)
