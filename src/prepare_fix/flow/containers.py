"""Containers and iterators: what goes in, what comes out, and which loader a loop really walks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from prepare_fix.flow import recognise
from prepare_fix.flow.accelerators import Accelerators
from prepare_fix.flow.displays import constant_key
from prepare_fix.flow.events import UseKind
from prepare_fix.flow.frames import Arguments
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Stage, Value, ref, union
from prepare_fix.flow.state import ANY_ITEM, LENGTH, SOURCE, exact_length, length_mark

_CONTAINER_METHODS = frozenset(name for kind in (list, tuple, dict, set) for name in vars(kind))


class Containers(Accelerators):
    """Adds lists, tuples, dicts, and the iterators around loaders."""

    def container_method(self, node: ast.Call, func: ast.Attribute, number: ObjectId, arguments: Arguments) -> Value:
        """Return what a method of a list, tuple, dict or set gives."""
        name = func.attr
        key = constant_key(node.args[0]) if node.args else None
        if name in {"pop", "popitem"}:
            taken = self.item(number, Stage.RAW, key)
            self._loosen(number)
            return taken
        if name == "get":
            return self.item(number, Stage.RAW, key)
        if name == "copy":
            return self._copied(node, number)
        if name == "values":
            return self._values_view(node, number)
        if name == "items":
            return self._items_view(node, number)
        self._change(func, number, arguments)
        return NOTHING

    def _change(self, func: ast.Attribute, number: ObjectId, arguments: Arguments) -> None:
        """Run a method that changes a container, or that it does not have."""
        name = func.attr
        if name in {"append", "add"}:
            self._append(number, arguments.first())
        elif name == "update":
            self._update(func, number, arguments)
        elif name == "extend":
            self.loose_item(number, union([self.elements(*pair) for pair in arguments.everything]))
            self.state.forget((number, LENGTH))
        elif name in {"insert", "setdefault", "appendleft", "remove", "clear", "reverse", "sort"}:
            self._loosen(number)
            self.loose_item(number, arguments.everything)
        elif name not in _CONTAINER_METHODS:
            self.record_tuple_use(func.value, number, name)

    def _update(self, node: ast.AST, container: ObjectId, arguments: Arguments) -> None:
        """Run ``dict.update``: what is not known by name may be under any name from then on."""
        for word, value in arguments.keywords.items():
            self.put(container, word, value)
        if arguments.spread:
            self.loose_item(container, arguments.spread)
        for other, stage in union([value for _, value, _ in arguments.positional]):
            if self.is_mapping(other):
                self.merge_mapping(container, other)
                continue
            loose = union([self._member_of_pair(*each) for each in self.elements(other, stage)])
            for name, held in self.held_in(container):
                if name != LENGTH:
                    self.put(container, name, held | loose)
            self.loose_item(container, loose)
            self.record_gap("a dict updated under computed keys", node, self.members(container))

    def _member_of_pair(self, number: ObjectId, stage: Stage) -> Value:
        """Return what a member of a list of pairs brings into a dict; of anything else, the member itself."""
        return self.elements(number, stage) if self.kind_of(number) is Kind.CONTAINER else frozenset({(number, stage)})

    def _origin(self, container: ObjectId) -> int:
        """Return what tells the results of a method apart that is called on several containers at once.

        It is where each is made, not its number: copies of copies in a loop would never come to an end.
        """
        return id(self.objects[container].node)

    def _items_view(self, node: ast.AST, number: ObjectId) -> Value:
        pair = self.container(node, [NOTHING, self.members(number)], extra=("pair", self._origin(number)))
        view = self.make(Kind.VIEW, node, extra=self._origin(number))
        self.put(view.id, ANY_ITEM, ref(pair))
        return ref(view)

    def _loosen(self, container: ObjectId) -> None:
        """Forget the order and number of what a container holds; string keys stay what they are."""
        for name, value in self.held_in(container):
            if isinstance(name, int):
                self.loose_item(container, value)
                self.state.forget((container, name))
        self.state.forget((container, LENGTH))

    def _copied(self, node: ast.AST, container: ObjectId) -> Value:
        """Return another container with what ``container`` holds."""
        held = self.held_in(container)
        copy = self.container(node, None, extra=("copy", self._origin(container)))
        self.state.forget((copy.id, ANY_ITEM))
        for name, value in held:
            self.put(copy.id, name, value)
        return ref(copy)

    def _values_view(self, node: ast.AST, number: ObjectId) -> Value:
        held = {name: value for name, value in self.held_in(number) if name != LENGTH}
        if ANY_ITEM in held:
            return ref(self.container(node, None, self.members(number), extra=self._origin(number)))
        return ref(self.container(node, list(held.values()), extra=self._origin(number)))

    def _append(self, container: ObjectId, value: Value) -> None:
        length = exact_length(self.state, container)
        if length is None or self.loops:
            self.loose_item(container, value)
            self.state.forget((container, LENGTH))
            return
        self.put(container, length, value)
        self.put(container, LENGTH, length_mark(length + 1))

    def iterating_call(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        """Return what a call that walks a loader gives."""
        named = [value for name, value in arguments.keywords.items() if name in recognise.WALKED_KEYWORDS]
        value = arguments.first() or union(named)
        if path in recognise.WALKING_ALL:
            value = union([value for _, value, _ in arguments.positional[path in recognise.APPLYING_CALLS :]])
        if value and all(self.kind_of(number) is Kind.PARAMS for number, _ in value):
            return value
        if path == "builtins.map" and len(arguments.positional) == 2 and isinstance(node, ast.Call):
            return self._mapped(node, arguments)
        view = self.view(node, value, path)
        ((number, _),) = view
        if path in recognise.NUMBERED_CALLS:
            pair = self.container(node, [NOTHING, self.elements_of(arguments.first())], extra="pair")
            self.put(number, ANY_ITEM, ref(pair))
        elif path in recognise.ZIPPING_CALLS:
            columns = [self.elements_of(each) for _, each, starred in arguments.positional if not starred]
            rows = union([self.elements_of(each) for _, each, starred in arguments.positional if starred])
            members = self.elements_of(rows)  # zip(*rows) gives the first members of all rows, and so on
            pair = self.container(node, None if members else columns, members, extra="pair")
            self.put(number, ANY_ITEM, ref(pair))
        return view

    def _mapped(self, node: ast.Call, arguments: Arguments) -> Value:
        """Return what ``map`` gives: the results of the function, member by member where they are known."""
        (_, function, _), (expression, value, _) = arguments.positional
        known = self.sequence(value)
        rounds = known if known is not None else [self.elements_of(value)]
        results = [
            self.call_value(node, function, Arguments([(expression, each, False)]), node.args[0]) for each in rounds
        ]
        if known is not None:
            return ref(self.container(node, results, extra="map"))
        view = self.view(node, value, "builtins.map")
        ((number, _),) = view
        self.put(number, ANY_ITEM, union(results))
        return view

    def elements_of(self, value: Value) -> Value:
        """Return what one round over ``value`` may give."""
        return union([self.elements(*pair) for pair in value])

    def view(self, node: ast.AST, value: Value, path: str = "") -> Value:
        """Return what walks the objects of ``value``: the result of the imported ``path``, or an iterator."""
        view = self.make(Kind.VIEW, node, path, extra="view", built_from=(number for number, _ in value))
        self.put(view.id, SOURCE, value)
        return ref(view)

    def collect(self, node: ast.AST, arguments: Arguments) -> Value:
        """Return the container that ``list`` and its like make."""
        value = arguments.first()
        if not value:
            return ref(self.container(node, [] if not arguments.positional else None))
        if all(self.kind_of(number) in {Kind.CONTAINER, Kind.PARAMS, Kind.DERIVED} for number, _ in value):
            return value
        assert arguments.positional[0][0] is not None
        element = self.iterate(node, arguments.positional[0][0], value, None)
        return ref(self.container(node, None, element))

    def keyword_dict(self, node: ast.AST, arguments: Arguments) -> Value:
        """Return the container that ``dict(other, name=value)`` makes."""
        obj = self.container(node, [])
        self._update(node, obj.id, arguments)
        return ref(obj)

    def add_in_place(self, node: ast.AugAssign, containers: Value, value: Value) -> None:
        """Run ``row += others`` or ``mapping |= others``."""
        for number, _ in containers:
            if isinstance(node.op, ast.BitOr):
                self._update(node, number, Arguments([(node.value, value, False)]))
            else:
                self.loose_item(number, self.elements_of(value))
                self.state.forget((number, LENGTH))

    def iterate(self, node: ast.AST, iterable: ast.expr, value: Value, loop: int | None) -> Value:
        """Record that ``value`` is iterated, and return what one round may give."""
        element = self.elements_of(value)
        sources = self._iterated_sources(value)
        if sources:
            made = [number for number, _ in self._batches(sources)]
            self.record_use(
                UseKind.ITERATE,
                iterable,
                sources,
                call=node,
                result=made[0] if len(made) == 1 else None,
                loop=loop,
                holders=self._holders(iterable, sources),
            )
        return element

    def _holders(self, iterable: ast.expr, sources: Value) -> tuple[ast.expr, ...]:
        """Return the names and attributes within ``iterable`` that give the walked objects themselves."""
        self.is_peeking = True
        found = tuple(node for node in self.names_within(iterable) if (held := self.evaluate(node)) and held <= sources)
        self.is_peeking = False
        return found

    def _iterated_sources(self, value: Value) -> Value:
        """Return the objects behind ``value`` that are walked: the loader under ``enumerate(tqdm(loader))``."""
        found: Value = NOTHING
        seen: set[ObjectId] = set()
        todo = list(value)
        while todo:
            number, stage = todo.pop()
            if self.kind_of(number) is Kind.VIEW and number not in seen:
                seen.add(number)
                todo += self.state.get((number, SOURCE), NOTHING)
            elif self.kind_of(number) in OPAQUE_KINDS:
                found |= {(number, stage)}
        return found

    def _batches(self, sources: Iterable[tuple[ObjectId, Stage]]) -> Value:
        return union([self.elements(number, stage) for number, stage in sources])
