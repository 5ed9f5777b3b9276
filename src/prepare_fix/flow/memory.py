"""The memory of the interpreter: objects, call contexts, containers, and what the variables hold."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from prepare_fix.flow import recognise
from prepare_fix.flow.frames import Abroad, Frame, Loop
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Ref, Role, TrackedObject, Value, ref
from prepare_fix.flow.place import Attr, Item, Place
from prepare_fix.flow.state import ANY_ITEM, LENGTH, Key, State, is_hidden
from prepare_fix.sources.text import SourceText

MAX_PLACE_DEPTH = 3
# Where more words are asked for, all are counted at once.
MAX_SEARCHED = 64
_WORD = re.compile(r"\w+")

_HOLDERS = frozenset({Kind.INSTANCE, Kind.CONTAINER, Kind.PARAMETER, Kind.OBJECT})


class Memory:
    """Objects are numbered by where and in which call they are made; everything else refers to the numbers."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.objects: dict[ObjectId, TrackedObject] = {}
        self.parts: dict[ObjectId, list[ObjectId]] = {}
        """The parts of each object."""
        self.prepared: dict[ObjectId, list[ObjectId]] = {}
        """What prepare calls made of each raw object."""
        self.item_writes: Counter[Key] = Counter()
        """How often each place in a container was bound so far."""
        self.container_names: dict[ObjectId, dict[str | int, None]] = {}
        """The names under which a container ever held something, in order."""
        self.contents: dict[ObjectId, set[ObjectId]] = {}
        """What was ever put into a container or view, whatever the path."""
        self.accelerators: set[Ref] = set()
        self.state = State()
        self._ids: dict[tuple[object, ...], ObjectId] = {}
        self._made: dict[tuple[object, ...], TrackedObject] = {}
        self._known_parts: dict[tuple[Kind, ObjectId, str | int], TrackedObject] = {}
        # What was found before: kinds and names never change, and two in three questions are asked again.
        self._opaque: dict[Value, Value] = {}
        self._unknown: dict[str, Value] = {}
        self._symbols: dict[str, Value] = {}
        self._contexts: dict[tuple[int, int], int] = {}
        self.context_parents: list[int] = [0]
        self.context_calls: list[ast.AST | None] = [None]
        self.module_frame = Frame(self.new_id(("frame", 0)), None, 0, None)
        self.frame = self.module_frame
        self.loops: list[Loop] = []
        self.abroad: Abroad | None = None
        """The call through which code of another file runs right now."""
        self.is_defining_abroad = False
        """The definitions of another file are being run."""
        self.gradients = True
        """False under ``no_grad``."""
        self.loop_keys: tuple[int, ...] = ()
        self.rounds: tuple[int, ...] = ()
        """Which round each of the running loops is in, and which try of a block that may be left or not be come to
        (the body of a ``try``, a handler, a case), counted over all."""
        self._rounds_begun = 0
        self._mentioned: dict[str, int] = {}
        self._names_within: dict[int, tuple[ast.Name | ast.Attribute, ...]] = {}
        self.uses_accelerator_names = recognise.speaks_of_accelerators(source.text)

    def names_within(self, node: ast.AST) -> tuple[ast.Name | ast.Attribute, ...]:
        """Return the names and attributes within an expression; each is walked through once."""
        known = self._names_within.get(id(node))
        if known is None:
            found = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))]
            known = self._names_within[id(node)] = tuple(found)
        return known

    def mentions_of(self, word: str) -> int:
        """Return how often a word stands in the text."""
        if len(self._mentioned) == MAX_SEARCHED:
            self._mentioned = Counter(match.group() for match in _WORD.finditer(self.source.text))
        count = self._mentioned.get(word)
        if count is None:
            # Only the names of uncalled functions are asked for: counting all words of a file took a tenth of its
            # trace.
            count = self._mentioned[word] = _count_word(self.source.text, word)
        return count

    def calls_on_self(self, method: str) -> int:
        """Return how often the text calls a method on ``self``."""
        return self.source.text.count(f"self.{method}(")

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
            # A call in another file has no place in this one.
            self.context_calls.append(node if self.abroad is None else None)
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
        key = (kind, id(node), context, extra)
        obj = self._made.get(key)
        if obj is None:
            number = self.new_id(key)
            # What another file makes is told of where it is called.
            place = self._told_at(kind, node)
            obj = self._made[key] = self.objects[number] = TrackedObject(number, kind, place, context, name, role=role)
            obj.is_many = bool(self.loops)
            obj.is_detached = not self.gradients and (kind is Kind.DERIVED or kind is Kind.OBJECT)
            if kind is Kind.ACCELERATOR:
                self._note_accelerator(obj)
        obj.built_from.update(built_from)
        return obj

    def _told_at(self, kind: Kind, node: ast.AST | None) -> ast.AST | None:
        """Return the node that an object is told of at: none of another file's, but for definitions, which are run."""
        if kind is Kind.FUNCTION or kind is Kind.CLASS:
            return node
        if self.abroad is not None:
            return self.abroad.call
        return None if self.is_defining_abroad else node

    def part(self, owner: ObjectId, name: str | int, kind: Kind = Kind.PART) -> TrackedObject:
        """Return the attribute or item ``name`` of ``owner`` that nobody in the file assigned."""
        key = (kind, owner, name)
        obj = self._known_parts.get(key)
        if obj is None:
            number = self.new_id(key)
            whole = self.objects[owner]
            obj = TrackedObject(number, kind, whole.node, whole.context, str(name), {owner}, part_of=owner)
            obj.comes_in_raw = False
            self._known_parts[key] = self.objects[number] = obj
            self.parts.setdefault(owner, []).append(number)
        return obj

    def kind_of(self, number: ObjectId) -> Kind | None:
        """Return the kind of an object; None for the pseudo references that mark lengths and calls."""
        obj = self.objects.get(number)
        return obj.kind if obj is not None else None

    def opaque(self, value: Value) -> Value:
        """Return the part of ``value`` that may turn out to be a model, optimizer, loader or scheduler."""
        kept = self._opaque.get(value)
        if kept is None:
            objects = self.objects
            kept = frozenset([pair for pair in value if pair[0] > 0 and objects[pair[0]].kind in OPAQUE_KINDS])
            self._opaque[value] = kept = value if len(kept) == len(value) else kept
        return kept

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
        self.item_writes[container, name] += 1
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

    def lookup(self, name: str) -> Value:
        """Return what the variable ``name`` may hold in the running function."""
        frame: Frame | None = self.frame.outer_names.get(name, self.frame)
        while frame is not None:
            value = self.state.get((frame.id, name))
            if value is not None:
                return value
            frame = frame.closure
        known = self._unknown.get(name)
        if known is None:
            known = self._unknown[name] = self._unknown_name(name)
        return known

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
        known = self._symbols.get(path)
        if known is None:
            number = self.new_id(("symbol", path))
            self.objects[number] = TrackedObject(number, Kind.SYMBOL, None, 0, path)
            known = self._symbols[path] = self.objects[number].raw
        return known

    def enter_loop(self, loop: Loop) -> None:
        """Begin a round of a loop."""
        self.loops.append(loop)
        self.begin_round()
        self.loop_keys = (*self.loop_keys, loop.key)

    def begin_round(self) -> None:
        """Begin what runs on some paths only: what conditions make of things in it is not so behind it."""
        self._rounds_begun += 1
        self.rounds = (*self.rounds, self._rounds_begun)

    def end_round(self) -> None:
        """End what ``begin_round`` began."""
        self.rounds = self.rounds[:-1]

    def leave_loop(self) -> None:
        """End the running round of the innermost loop."""
        self.loops.pop()
        self.end_round()
        self.loop_keys = self.loop_keys[:-1]

    def is_accelerator_name(self, name: str) -> bool:
        """Return whether ``name`` is a usual name of an accelerator in a file that uses it as one."""
        return name in recognise.ACCELERATOR_NAMES and self.uses_accelerator_names

    def named_accelerator(self, name: str) -> TrackedObject:
        """Return the accelerator known only by ``name``: handed in, inherited or built elsewhere."""
        number = self.new_id(("accelerator", name))
        if number not in self.objects:
            self.objects[number] = TrackedObject(number, Kind.ACCELERATOR, None, 0, name)
            self._note_accelerator(self.objects[number])
        return self.objects[number]

    def _note_accelerator(self, obj: TrackedObject) -> None:
        self.accelerators |= obj.raw
        self.state.sought |= obj.raw

    def visible_places(self, *, writable: bool) -> Iterator[tuple[Place, Value]]:
        """Yield the places that an expression here could name, and what they hold.

        With ``writable`` only those that an assignment here would bind: no variables of enclosing functions.
        """
        for key in self._visible_variables(writable=writable):
            place, value = Place(str(key[1])), self.state[key]
            yield place, value
            yield from self._places_below(place, value, MAX_PLACE_DEPTH, None)

    def _visible_variables(self, *, writable: bool) -> Iterator[Key]:
        seen: set[str | int] = set()
        frame: Frame | None = self.frame
        while frame is not None:
            for name in self.state.names.get(frame.id, ()):
                key = (frame.id, name)
                if key in self.state and name not in seen:
                    seen.add(name)
                    yield key
            frame = None if writable else frame.closure
        # What is declared nonlocal or global is bound by an assignment here too.
        for outer_name, outer in self.frame.outer_names.items() if writable else ():
            if (outer.id, outer_name) in self.state and outer_name not in seen:
                yield outer.id, outer_name

    def _places_below(
        self, place: Place, value: Value, depth: int, wanted: set[Key] | None
    ) -> Iterator[tuple[Place, Value]]:
        """Yield the attributes and items of what ``place`` holds, and theirs; with ``wanted`` only those keys."""
        if not depth or len(value) != 1:
            return
        ((owner, _),) = value
        names = self.state.names.get(owner)
        if names is None or (kind := self.kind_of(owner)) not in _HOLDERS:
            return
        for name in names:
            key = (owner, name)
            inner = self.state.get(key)
            if inner is None or is_hidden(name):
                continue
            is_hit = wanted is None or key in wanted
            if is_hit or self._has_names(inner):
                step = Item(name) if isinstance(name, int) or kind is Kind.CONTAINER else Attr(name)
                below = Place(place.root, (*place.path, step))
                if is_hit:
                    yield below, inner
                yield from self._places_below(below, inner, depth - 1, wanted)

    def _has_names(self, value: Value) -> bool:
        return len(value) == 1 and next(iter(value))[0] in self.state.names

    def places_of(self, wanted: AbstractSet[Ref], *, with_positions: bool = True) -> tuple[Place, ...]:
        """Return the places here that hold nothing but ``wanted``, which are accelerators or prepared objects.

        ``with_positions`` says whether these may be positions in sequences.
        """
        state = self.state
        keys = {key for key in state.sought_keys if (held := state.get(key)) and held <= wanted}
        if not with_positions:
            keys = {key for key in keys if not isinstance(key[1], int)}
        if not keys:
            return ()
        is_variable = not any(owner in self.objects for owner, _ in keys)
        visible = [key for key in keys if self._is_visible(key)]
        if is_variable and len(visible) < 2:  # as in most scripts: no walk, which tells the order of several
            return tuple(Place(str(key[1])) for key in visible)
        found: list[Place] = []
        for key in self._visible_variables(writable=False):
            if key in keys:
                found.append(Place(str(key[1])))
            if not is_variable and self._has_names(state[key]):
                place = Place(str(key[1]))
                found += [below for below, _ in self._places_below(place, state[key], MAX_PLACE_DEPTH, keys)]
        return tuple(found)

    def _is_visible(self, key: Key) -> bool:
        """Return whether a variable is the one that its name means here."""
        frame: Frame | None = self.frame
        while frame is not None:
            here = (frame.id, key[1])
            if here in self.state:
                return here == key
            frame = frame.closure
        return False


def _count_word(text: str, word: str) -> int:
    """Return how often ``word`` stands in ``text`` and is no part of a longer one."""
    count, start = 0, text.find(word) if word.isidentifier() else -1
    while start >= 0:
        end = start + len(word)
        count += not (_is_letter(text[start - 1 : start]) or _is_letter(text[end : end + 1]))
        start = text.find(word, end)
    return count


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
