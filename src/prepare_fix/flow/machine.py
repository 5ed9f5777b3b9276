"""The interpreter's point of execution, its event log, and what the layers above it have to provide.

``Displays``, ``Expressions``, ``Accelerators``, ``Containers``, ``Symbols``, ``Calls``, ``Scopes``, ``Entries``,
``Bindings``, ``Paths``, ``Conditions`` and ``Statements`` build on it, each adding one concern.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator

from prepare_fix.flow.events import EventLog, Gap, Guard, StaleRead, Surroundings, Use, UseKind
from prepare_fix.flow.frames import Arguments, Frame, FunctionNode, OpenLoops, TraceLimitError
from prepare_fix.flow.memory import Memory
from prepare_fix.flow.objects import NOTHING, ObjectId, Ref, Stage, TrackedObject, Value
from prepare_fix.flow.place import Item, Place
from prepare_fix.flow.wrapper import SHARED
from prepare_fix.sources.text import SourceText

# A script of 1,500 lines needs some 10,000 steps; the cap only stops helpers that call each other without end.
MAX_STEPS_PER_LINE = 400
MAX_STEPS = 200_000
MAX_CALL_DEPTH = 12
# Helpers of other files are followed into what they call themselves. All that is called further down was 40 % of a run
# over accelerate's own tests, and told nothing: their 276 findings are the same with 1, 2, 3 or 12.
MAX_DEPTH_ABROAD = 2

# The stages for which a prepared object stands somewhere else, and the uses that ask for a name.
_REPLACED = frozenset({Stage.SUPERSEDED, Stage.UNWRAPPED})
_PREPARED_ONLY = frozenset({Stage.PREPARED})
# What has a name in these is asked of a model, or handed on as a keyword: a repair may put the bare model there.
_NAMED = frozenset({UseKind.ATTRIBUTE, UseKind.METHOD, UseKind.ARGUMENT})


class Machine(Memory, ABC):
    """Where execution stands, and recording; the layers above say what each kind of syntax does."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.log = EventLog()
        self.taken_apart: set[ObjectId] = set()
        """The containers that are indexed, unpacked, iterated, handed on or returned."""
        self.prepared_tuples: set[ObjectId] = set()
        """The tuples that prepare calls return."""
        self.stale: set[Ref] = set()
        """The references that a prepare call has superseded so far."""
        self.roots_with_accelerator: set[int] = set()
        """The entry points under which an accelerator is built."""
        self.stack: list[Frame] = []
        self.statement: ast.stmt = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
        self.guards: tuple[Guard, ...] = ()
        self.accumulating: tuple[ast.AST, ...] = ()
        self.attribute_writes: Counter[str] = Counter()
        """How often an attribute of each name was bound so far."""
        self.method_calls: Counter[ObjectId] = Counter()
        """How often a method that is not followed was called on each object so far."""
        self.loop_names: set[str] = set()
        """The variables of ``for`` loops."""
        self.unrolled: tuple[int, ...] = ()
        """Which member each of the running loops is at that are run member by member."""
        self.open_loops: OpenLoops | None = None
        """What the loops lead to that are run until they are settled; None outside of them."""
        self.is_peeking = False
        """Nothing is recorded: an expression is looked at again."""
        self._where: Surroundings | None = None
        self._steps = 0
        self._max_steps = min(MAX_STEPS, 2_000 + MAX_STEPS_PER_LINE * len(source.line_starts))

    # --- recording ------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Count one statement; give up on scripts that no cap would end."""
        self._steps += 1
        if self._steps > self._max_steps:
            raise TraceLimitError

    def where(self) -> Surroundings:
        """Return the surroundings of what happens now."""
        if self.abroad is not None:
            near = self.abroad.where
            return near._replace(loops=self.loop_keys, gradients=self.gradients)
        last = self._where
        if (
            last is None
            or last.statement is not self.statement
            or last.context != self.frame.context
            or last.guards is not self.guards
            or last.loops != self.loop_keys
            or last.gradients is not self.gradients
            or last.accumulating is not self.accumulating
        ):
            self._where = last = Surroundings(
                self.frame.context,
                self.statement,
                self.guards,
                self.loop_keys,
                self.gradients,
                self.accumulating,
                self.frame.node,
            )
        return last

    def record_use(
        self,
        kind: UseKind,
        node: ast.expr,
        value: Value,
        *,
        name: str = "",
        call: ast.AST | None = None,
        result: ObjectId | None = None,
        loop: int | None = None,
        holders: tuple[ast.expr, ...] = (),
    ) -> None:
        """Record that the objects of ``value`` that may matter are used at ``node``."""
        tracked = self.opaque(value)
        if not tracked or self.is_peeking:
            return
        if self.abroad is not None:
            self._record_use_abroad(kind, tracked, name, result, loop)
            return
        replacements: tuple[Place, ...] = ()
        accelerators: tuple[Place, ...] = ()
        if self.prepared:
            stages = {stage for _, stage in tracked}
            if kind is not UseKind.ATTRIBUTE and Stage.UNWRAPPED in stages:
                replacements = self._replacements(tracked)
            elif name and kind in _NAMED and stages == _PREPARED_ONLY and name not in SHARED:
                accelerators = self.accelerator_places()
        use = Use(kind, name, node, call, tracked, result, self.where(), replacements, accelerators, holders, loop)
        self.log.uses[kind, id(node), id(call), self.frame.context] = use

    def _record_use_abroad(
        self, kind: UseKind, value: Value, name: str, result: ObjectId | None, loop: int | None
    ) -> None:
        """Record what another file does with the objects it is handed, as far as it trains, at the call."""
        assert self.abroad is not None
        if kind is UseKind.ATTRIBUTE or (kind is UseKind.METHOD and name not in {"step", "zero_grad"}):
            return
        call = self.abroad.call
        node = self.abroad.holder_of(frozenset(whole for number, _ in value for whole in self._wholes_of(number)))
        use = Use(kind, name, node, call, value, result, self.where(), (), (), (), loop)
        self.log.uses[kind, id(node), id(call), self.frame.context, name, value] = use

    def _wholes_of(self, number: ObjectId | None) -> Iterator[ObjectId]:
        """Yield an object and all that it is a part of."""
        while number is not None:
            yield number
            number = self.objects[number].part_of

    def record_stale_read(self, node: ast.expr, value: Value) -> None:
        """Record that ``node`` names something that a prepare call has superseded."""
        if self.is_peeking or self.abroad is not None:
            return
        # Only where the object is superseded on every path a repair may name another place.
        is_certain = all(stage is Stage.SUPERSEDED for _, stage in value)
        replacements = self._replacements(value) if is_certain else ()
        self.log.stale_reads[id(node), self.frame.context] = StaleRead(node, value, replacements)

    def record_tuple_use(self, node: ast.expr, container: ObjectId, name: str, loop: int | None = None) -> None:
        """Record that a container is called, walked by a loop, or a method called on it that no container has."""
        if self.abroad is not None:
            return
        kind = UseKind.METHOD if name else UseKind.CALL
        use = Use(kind, name, node, None, NOTHING, container, self.where(), loop=loop)
        self.log.tuple_uses[id(node), name, self.frame.context] = use

    def _replacements(self, value: Value) -> tuple[Place, ...]:
        stale = {number for number, stage in value if stage in _REPLACED}
        wanted = frozenset((new, Stage.PREPARED) for number in stale for new in self.prepared.get(number, ()))
        return tuple(place for place in self.places_of(wanted, with_positions=False) if self._is_lasting(place))

    def _is_lasting(self, place: Place) -> bool:
        """Return whether a place may stand in a repair: no loop variable, and no position in a sequence."""
        return place.root not in self.loop_names and not any(
            isinstance(step, Item) and isinstance(step.key, int) for step in place.path
        )

    def accelerator_places(self) -> tuple[Place, ...]:
        """Return the places here that hold an accelerator and nothing else."""
        return self.places_of(self.accelerators)

    def record_open_attributes(self, obj: TrackedObject, node: ast.AST) -> None:
        """Record that whatever an object holds by now may be rebound: by a method or mapping that is not followed."""
        self.record_gap("attributes bound out of sight", node, self.held_by(obj))

    def held_by(self, obj: TrackedObject) -> Value:
        """Return what the attributes of an object hold by now."""
        return NOTHING.union(*(self.state.get((obj.id, name), NOTHING) for name in self.state.names.get(obj.id, ())))

    def record_gap(self, reason: str, node: ast.AST, touches: Value | None) -> None:
        """Record that something at ``node`` could not be followed."""
        self.log.gaps.append(Gap(reason, node, None if touches is None else frozenset(number for number, _ in touches)))

    # --- what the parts above provide -------------------------------------------------------------------------

    @abstractmethod
    def evaluate(self, node: ast.expr | None) -> Value:
        """Return what ``node`` may give, and record what happens on the way."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind ``target`` to ``value``."""

    @abstractmethod
    def evaluate_call(self, node: ast.Call) -> Value:
        """Return what the call may give."""

    @abstractmethod
    def call_value(self, node: ast.AST, callee: Value, arguments: Arguments, func: ast.expr) -> Value:
        """Return what calling ``callee`` may give."""

    @abstractmethod
    def call_function(
        self, node: ast.AST, function: TrackedObject, arguments: Arguments, receiver: Value | None
    ) -> Value:
        """Run a function of the file for this call, and return what it returns."""

    @abstractmethod
    def instantiate(self, node: ast.AST, cls: TrackedObject, arguments: Arguments) -> Value:
        """Return an instance of a class of the file."""

    @abstractmethod
    def make_function(self, node: FunctionNode) -> Value:
        """Return the function object that a definition or lambda creates here."""

    @abstractmethod
    def find_member(self, cls: ObjectId, name: str) -> Value | None:
        """Return what a class of the file or its bases hold under ``name``; None where nothing does."""

    @abstractmethod
    def call_symbol(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        """Return what a call of something imported (or built in) gives."""

    @abstractmethod
    def elements(self, number: ObjectId, stage: Stage) -> Value:
        """Return what one round over an object may give."""

    @abstractmethod
    def iterate(self, node: ast.AST, iterable: ast.expr, value: Value, loop: int | None) -> Value:
        """Record that ``value`` is iterated, and return what one round may give."""

    @abstractmethod
    def run_block(self, body: Iterable[ast.stmt]) -> bool:
        """Run statements; return whether control reaches the end of them."""
