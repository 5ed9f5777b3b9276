"""The memory of the abstract interpreter: frames, objects, the current state, and the event log.

``Expressions``, ``Calls``, ``Scopes`` and ``Statements`` build on it, each adding one concern.
"""

from __future__ import annotations

import ast
import builtins
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from prepare_fix.flow import recognise
from prepare_fix.flow.events import EventLog, Gap, Guard, StaleRead, Surroundings, Use, UseKind
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Ref, Role, Stage, TrackedObject, Value, ref
from prepare_fix.flow.place import Attr, Item, Place
from prepare_fix.flow.state import ANY_ITEM, LENGTH, Key, State
from prepare_fix.sources.text import SourceText

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# A script of 1,500 lines needs some 10,000 steps; the cap only stops helpers that call each other without end.
MAX_STEPS_PER_LINE = 400
MAX_STEPS = 200_000
MAX_CALL_DEPTH = 12
MAX_PLACE_DEPTH = 3

_WORD = re.compile(r"\w+")


class TraceLimitError(Exception):
    """The script is too entangled to follow; nothing is reported for it."""


@dataclass(eq=False, slots=True)
class Frame:
    """A running function (or the module): ``id`` owns its variables in the state."""

    id: ObjectId
    node: FunctionNode | None
    context: int
    closure: Frame | None
    is_class: bool = False
    outer_names: dict[str, Frame] = field(default_factory=dict)
    """Names declared ``global`` or ``nonlocal``, and the frame that they live in."""
    returned: Value = NOTHING
    yielded: Value = NOTHING
    exit_states: list[State] = field(default_factory=list)
    method_class: ObjectId | None = None
    receiver: Value = NOTHING
    names: set[str] = field(default_factory=set)
    is_captured: bool = False
    """A nested function may read its variables later."""


@dataclass(eq=False, slots=True)
class Loop:
    """A running loop and the states in which ``break`` and ``continue`` leave its body."""

    key: int
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


class Machine(ABC):
    """State, object table and recording; the parts above it say what each kind of syntax does."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.objects: dict[ObjectId, TrackedObject] = {}
        self.parts: dict[ObjectId, list[ObjectId]] = {}
        self.prepared: dict[ObjectId, list[ObjectId]] = {}
        self.container_names: dict[ObjectId, dict[str | int, None]] = {}
        """The names under which a container ever held something, in order."""
        self.contents: dict[ObjectId, set[ObjectId]] = {}
        """What was ever put into a container or view, whatever the path."""
        self.taken_apart: set[ObjectId] = set()
        """The containers that are indexed, unpacked, iterated, handed on or returned."""
        self.stale: set[Ref] = set()
        """The references that a prepare call has superseded so far."""
        self.log = EventLog()
        self.state = State()
        self.written: list[set[Key]] = []
        """What was written before each of the branches that the running function stands in."""
        self._ids: dict[tuple[object, ...], ObjectId] = {}
        self._contexts: dict[tuple[int, int], int] = {}
        self.context_parents: list[int] = [0]
        self.context_calls: list[ast.AST | None] = [None]
        self.roots_with_accelerator: set[int] = set()
        self.module_frame = Frame(self.new_id(("frame", 0)), None, 0, None)
        self.frame = self.module_frame
        self.stack: list[Frame] = []
        self.statement: ast.stmt = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
        self.guards: tuple[Guard, ...] = ()
        self.loops: list[Loop] = []
        self._where: Surroundings | None = None
        self.accumulating: tuple[ast.AST, ...] = ()
        self.gradients = True
        self._steps = 0
        self._max_steps = min(MAX_STEPS, 2_000 + MAX_STEPS_PER_LINE * len(source.line_starts))
        self.mentioned = Counter(_WORD.findall(source.text))
        """How often each word stands in the text."""
        self.uses_accelerator_names = recognise.speaks_of_accelerators(source.text)

    # --- identity -------------------------------------------------------------------------------------------

    def new_id(self, key: tuple[object, ...]) -> ObjectId:
        """Return the number of ``key``: the same key always has the same one, from 1."""
        number = self._ids.get(key)
        if number is None:
            number = self._ids[key] = len(self._ids) + 1
        return number

    def enter_context(self, parent: int, node: ast.AST) -> int:
        """Return the call context of a call at ``node`` made in context ``parent``."""
        key = (parent, id(node))
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = len(self.context_parents)
            self.context_parents.append(parent)
            self.context_calls.append(node)
        return context

    def root_of(self, context: int) -> int:
        """Return the outermost context of ``context``: an entry point, or 0 for the module."""
        while self.context_parents[context]:
            context = self.context_parents[context]
        return context

    def make(
        self,
        kind: Kind,
        node: ast.AST | None,
        name: str = "",
        *,
        extra: object = None,
        built_from: Iterable[ObjectId] = (),
        role: Role = Role.UNKNOWN,
    ) -> TrackedObject:
        """Return the object of this kind that ``node`` creates in the running context."""
        context = self.frame.context
        number = self.new_id((kind, id(node), context, extra))
        obj = self.objects.get(number)
        if obj is None:
            obj = self.objects[number] = TrackedObject(number, kind, node, context, name, role=role)
            obj.is_many = bool(self.loops)
        obj.built_from.update(built_from)
        return obj

    def part(self, owner: ObjectId, name: str | int, kind: Kind = Kind.PART) -> TrackedObject:
        """Return the attribute or item ``name`` of ``owner`` that nobody in the file assigned."""
        number = self.new_id((kind, owner, name))
        obj = self.objects.get(number)
        if obj is None:
            whole = self.objects[owner]
            obj = TrackedObject(number, kind, whole.node, whole.context, str(name), {owner}, part_of=owner)
            obj.comes_in_raw = False
            self.objects[number] = obj
            self.parts.setdefault(owner, []).append(number)
        return obj

    def kind_of(self, number: ObjectId) -> Kind | None:
        """Return the kind of an object; None for the pseudo references that mark lengths and calls."""
        obj = self.objects.get(number)
        return obj.kind if obj is not None else None

    def opaque(self, value: Value) -> Value:
        """Return the part of ``value`` that may turn out to be a model, optimizer, loader or scheduler."""
        objects = self.objects
        kept = [pair for pair in value if pair[0] > 0 and objects[pair[0]].kind in OPAQUE_KINDS]
        return value if len(kept) == len(value) else frozenset(kept)

    def with_parts(self, numbers: Iterable[ObjectId]) -> frozenset[ObjectId]:
        """Return ``numbers`` and all parts of those objects."""
        found: set[ObjectId] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            if number not in found:
                found.add(number)
                todo += self.parts.get(number, ())
        return frozenset(found)

    def root_object(self, number: ObjectId) -> ObjectId:
        """Return the raw object behind a prepared one, any other as it is."""
        obj = self.objects.get(number)
        return obj.prepared_from if obj is not None and obj.prepared_from is not None else number

    def put(self, container: ObjectId, name: str | int, value: Value) -> None:
        """Make ``value`` what a container holds under ``name``."""
        self.state[container, name] = value
        self.container_names.setdefault(container, {})[name] = None
        if value and name != LENGTH:
            self.contents.setdefault(container, set()).update(number for number, _ in value)

    def held_in(self, container: ObjectId) -> list[tuple[str | int, Value]]:
        """Return what a container holds now, by name."""
        names = self.container_names.get(container, ())
        return [(name, self.state[container, name]) for name in names if (container, name) in self.state]

    def loose_item(self, container: ObjectId, value: Value) -> None:
        """Put ``value`` somewhere into a container."""
        self.put(container, ANY_ITEM, self.state.get((container, ANY_ITEM), NOTHING) | value)

    # --- names ----------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Value:
        """Return what the variable ``name`` may hold in the running function."""
        frame: Frame | None = self.frame.outer_names.get(name, self.frame)
        while frame is not None:
            value = self.state.get((frame.id, name))
            if value is not None:
                return value
            frame = frame.closure
        return self._unknown_name(name)

    def _unknown_name(self, name: str) -> Value:
        if hasattr(builtins, name):
            return self.symbol(f"builtins.{name}")
        if self.is_accelerator_name(name):
            return ref(self.named_accelerator(name))
        number = self.new_id(("unknown", name))
        if number not in self.objects:
            self.objects[number] = TrackedObject(number, Kind.OBJECT, None, 0, name, comes_in_raw=False)
        return ref(self.objects[number])

    def symbol(self, path: str) -> Value:
        """Return the value of the imported or built-in thing at a dotted ``path``."""
        number = self.new_id(("symbol", path))
        if number not in self.objects:
            self.objects[number] = TrackedObject(number, Kind.SYMBOL, None, 0, path)
        return frozenset({(number, Stage.RAW)})

    def is_accelerator_name(self, name: str) -> bool:
        """Return whether ``name`` is a usual name of an accelerator in a file that uses it as one."""
        return name in recognise.ACCELERATOR_NAMES and self.uses_accelerator_names

    def named_accelerator(self, name: str) -> TrackedObject:
        """Return the accelerator known only by ``name``: handed in, inherited or built elsewhere."""
        number = self.new_id(("accelerator", name))
        if number not in self.objects:
            self.objects[number] = TrackedObject(number, Kind.ACCELERATOR, None, 0, name)
        return self.objects[number]

    def visible_places(self, *, writable: bool) -> Iterator[tuple[Place, Value]]:
        """Yield the places that an expression here could name, and what they hold.

        With ``writable`` only those that an assignment here would bind: no variables of enclosing functions.
        """
        owned: dict[ObjectId, list[tuple[str | int, Value]]] = {}
        for (owner, name), value in self.state.items():
            owned.setdefault(owner, []).append((name, value))
        seen: set[str] = set()
        frame: Frame | None = self.frame
        while frame is not None:
            for name, value in owned.get(frame.id, ()):
                if isinstance(name, str) and name not in seen:
                    seen.add(name)
                    yield from self._places_below(
                        Place(name), value, owned, MAX_PLACE_DEPTH, writable or frame is self.frame
                    )
            frame = None if writable else frame.closure

    def _places_below(
        self,
        place: Place,
        value: Value,
        owned: dict[ObjectId, list[tuple[str | int, Value]]],
        depth: int,
        follow: bool,
    ) -> Iterator[tuple[Place, Value]]:
        yield place, value
        if not depth or len(value) != 1:
            return
        ((owner, _),) = value
        kind = self.kind_of(owner)
        if kind not in {Kind.INSTANCE, Kind.CONTAINER, Kind.PARAMETER, Kind.OBJECT}:
            return
        for name, inner in owned.get(owner, ()):
            if isinstance(name, int) or kind is Kind.CONTAINER:
                step: Attr | Item = Item(name)
            else:
                step = Attr(name)
            if not str(name).startswith("["):
                yield from self._places_below(Place(place.root, (*place.path, step)), inner, owned, depth - 1, follow)

    # --- recording ------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Count one statement; give up on scripts that no cap would end."""
        self._steps += 1
        if self._steps > self._max_steps:
            raise TraceLimitError

    def where(self) -> Surroundings:
        """Return the surroundings of what happens now."""
        last = self._where
        keys = tuple([loop.key for loop in self.loops])
        if (
            last is None
            or last.statement is not self.statement
            or last.context != self.frame.context
            or last.guards is not self.guards
            or last.loops != keys
            or last.gradients is not self.gradients
            or last.accumulating is not self.accumulating
        ):
            self._where = last = Surroundings(
                self.frame.context,
                self.statement,
                self.guards,
                keys,
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
    ) -> None:
        """Record that the objects of ``value`` that may matter are used at ``node``."""
        tracked = self.opaque(value)
        if not tracked:
            return
        replacements: tuple[Place, ...] = ()
        if kind is not UseKind.ATTRIBUTE and any(stage is Stage.SUPERSEDED for _, stage in tracked):
            replacements = self._replacements(tracked)
        use = Use(kind, name, node, call, tracked, result, self.where(), replacements, loop)
        self.log.uses[kind, id(node), id(call), self.frame.context] = use

    def record_stale_read(self, node: ast.expr, value: Value) -> None:
        """Record that ``node`` names something that a prepare call has superseded."""
        self.log.stale_reads[id(node), self.frame.context] = StaleRead(node, value, self._replacements(value))

    def record_tuple_use(self, node: ast.expr, container: ObjectId, name: str) -> None:
        """Record that a container is called, or a method called on it that no container has."""
        use = Use(UseKind.METHOD if name else UseKind.CALL, name, node, None, NOTHING, container, self.where())
        self.log.tuple_uses[id(node), name, self.frame.context] = use

    def _replacements(self, value: Value) -> tuple[Place, ...]:
        stale = {number for number, stage in value if stage is Stage.SUPERSEDED}
        wanted = frozenset((new, Stage.PREPARED) for number in stale for new in self.prepared.get(number, ()))
        if not any(held and held <= wanted for held in self.state.values()):
            return ()
        return tuple(place for place, held in self.visible_places(writable=False) if held and held <= wanted)

    def accelerator_places(self) -> tuple[Place, ...]:
        """Return the places here that hold an accelerator and nothing else."""
        return tuple(
            place
            for place, held in self.visible_places(writable=False)
            if held and all(self.kind_of(number) is Kind.ACCELERATOR for number, _ in held)
        )

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
    def iterate(self, node: ast.AST, iterable: ast.expr, value: Value, loop: int | None) -> Value:
        """Record that ``value`` is iterated, and return what one round may give."""

    @abstractmethod
    def run_block(self, body: Iterable[ast.stmt]) -> bool:
        """Run statements; return whether control reaches the end of them."""


@dataclass(slots=True)
class Arguments:
    """The evaluated arguments of a call: positional ones (expression, value, starred), keywords, the rest."""

    positional: list[tuple[ast.expr | None, Value, bool]] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    spread: Value = NOTHING
    """What ``**mapping`` may hold."""
    nodes: dict[str, ast.expr] = field(default_factory=dict)
    """The expressions of the keywords."""

    @property
    def everything(self) -> Value:
        """All that is handed over, in one value."""
        values = [value for _, value, _ in self.positional]
        return self.spread.union(*values, *self.keywords.values())

    def first(self) -> Value:
        """The value of the first positional argument, or nothing."""
        return self.positional[0][1] if self.positional else NOTHING
