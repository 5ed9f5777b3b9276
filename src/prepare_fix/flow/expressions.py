"""What each kind of expression gives."""

from __future__ import annotations

import ast
from collections.abc import Callable

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Guard, UseKind
from prepare_fix.flow.frames import Arguments, Loop
from prepare_fix.flow.machine import Machine
from prepare_fix.flow.objects import DATA_KINDS, NOTHING, OPAQUE_KINDS, Kind, ObjectId, Stage, TrackedObject, Value, ref, union
from prepare_fix.flow.state import ANY_ITEM, LENGTH, SOURCE, exact_length, length_mark
from prepare_fix.sources.text import SourceText

# Sums of these are one more of them.
_ADDED_UP = frozenset({Kind.CONTAINER, Kind.PARAMS})


class Expressions(Machine):
    """Evaluates expressions; calls are left to the layer above."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.class_of: dict[ObjectId, ObjectId] = {}
        """The class of each instance."""
        self._open_views: set[ObjectId] = set()
        self.properties: set[ObjectId] = set()
        """The functions that are properties."""
        self._evaluators: dict[type[ast.AST], Callable[..., Value]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self.evaluate_call,
            ast.Subscript: self._subscript,
            ast.Tuple: self._display,
            ast.List: self._display,
            ast.Set: self._display,
            ast.Dict: self._dict,
            ast.BinOp: self._binary,
            ast.BoolOp: self._boolean,
            ast.IfExp: self._conditional,
            ast.NamedExpr: self._walrus,
            ast.Lambda: self.make_function,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._dict_comprehension,
            ast.Await: lambda node: self.evaluate(node.value),
            ast.Starred: lambda node: self.evaluate(node.value),
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.JoinedStr: self._formatted,
            ast.FormattedValue: self._formatted,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield,
        }

    def evaluate(self, node: ast.expr | None) -> Value:
        """Return what ``node`` may give, and record what happens on the way."""
        if node is None or type(node) is ast.Constant:
            return NOTHING
        evaluator = self._evaluators.get(type(node))
        if evaluator is not None:
            return evaluator(node)
        for child in ast.iter_child_nodes(node):  # slices and the like: only their calls matter
            if isinstance(child, ast.expr):
                self.evaluate(child)
        return NOTHING

    # --- names and parts --------------------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Value:
        value = self.lookup(node.id)
        if not value.isdisjoint(self.stale):
            self.record_stale_read(node, value)
        return value

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.evaluate(node.value)
        result = union([self.attribute(number, stage, node.attr, node) for number, stage in base])
        if not result and self.is_accelerator_name(node.attr):
            return ref(self.named_accelerator(node.attr))
        self.record_use(UseKind.ATTRIBUTE, node.value, base, name=node.attr, call=node)
        if not result.isdisjoint(self.stale):
            self.record_stale_read(node, result)
        return result

    def attribute(self, number: ObjectId, stage: Stage, name: str, node: ast.expr) -> Value:
        """Return what the attribute ``name`` of an object may hold."""
        obj = self.objects.get(number)
        if obj is None:
            return NOTHING
        held = self.state.get((number, name))
        if held is None and obj.prepared_from is not None:
            held = self.state.get((obj.prepared_from, name))
        if held is not None:
            return held
        kind = obj.kind
        if kind in OPAQUE_KINDS:
            return self._part_of(obj, stage, name)
        if kind is Kind.SYMBOL:
            return self.symbol(f"{obj.name}.{name}")
        if kind in DATA_KINDS:
            return frozenset({(number, stage)})
        if kind is Kind.CLASS:
            return self.find_member(number, name) or NOTHING
        if kind is Kind.ACCELERATOR or kind is Kind.METHOD:
            return self._bound(node, number, name)
        if kind is Kind.INSTANCE:
            return self._instance_attribute(obj, name, node)
        return NOTHING

    def _part_of(self, obj: TrackedObject, stage: Stage, name: str) -> Value:
        if self.is_accelerator_name(name):
            return ref(self.named_accelerator(name))
        if name in recognise.UNWRAP_ATTRIBUTES:
            if stage is Stage.PREPARED:
                return frozenset({(self.root_object(obj.id), Stage.UNWRAPPED)})
            if stage is Stage.UNWRAPPED:
                return frozenset({(obj.id, stage)})
        part = self.part(obj.id, name)
        return part.raw if stage is Stage.RAW else frozenset({(part.id, stage)})

    def _instance_attribute(self, obj: TrackedObject, name: str, node: ast.expr) -> Value:
        member = self.find_member(self.class_of[obj.id], name)
        if member is None:
            if self.is_accelerator_name(name):
                return ref(self.named_accelerator(name))
            return ref(self.part(obj.id, name))
        functions = [number for number, _ in member if self.kind_of(number) is Kind.FUNCTION]
        if not functions:
            return member
        if any(number in self.properties for number in functions):
            results = [self.call_function(node, self.objects[number], Arguments(), ref(obj)) for number in functions]
            return union(results)
        return self._bound(node, obj.id, name)

    def _bound(self, node: ast.AST, owner: ObjectId, name: str) -> Value:
        """Return the bound method ``name`` of ``owner``, taken at ``node``."""
        method = self.make(Kind.METHOD, node, name, extra=(owner, name))
        self.state[method.id, SOURCE] = frozenset({(owner, Stage.RAW)})
        return ref(method)

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.evaluate(node.value)
        self.evaluate(node.slice)
        if not base:
            return NOTHING
        if isinstance(node.slice, ast.Slice) and any(self.kind_of(number) is Kind.CONTAINER for number, _ in base):
            return self._sliced(node, base, node.slice)
        key = constant_key(node.slice)
        result = union([self.item(number, stage, key) for number, stage in base])
        if not result.isdisjoint(self.stale):
            self.record_stale_read(node, result)
        return result

    def _sliced(self, node: ast.Subscript, base: Value, bounds: ast.Slice) -> Value:
        """Return the container that a slice gives."""
        exact = self.sequence(base)
        limits = (bounds.lower, bounds.upper, bounds.step)
        keys = [constant_key(each) for each in limits]
        if exact is None or any(each is not None and not isinstance(key, int) for each, key in zip(limits, keys, strict=True)):
            return ref(self.container(node, None, union([self.elements(*pair) for pair in base])))
        return ref(self.container(node, exact[slice(*keys)]))

    def item(self, number: ObjectId, stage: Stage, key: str | int | None) -> Value:
        """Return what ``object[key]`` may hold; ``key`` is None where it is not constant."""
        kind = self.kind_of(number)
        if kind is Kind.CONTAINER:
            return self._member(number, key)
        if kind is Kind.VIEW:
            return self.elements(number, stage)
        if kind in DATA_KINDS:
            return frozenset({(number, stage)})
        if kind in OPAQUE_KINDS:
            held = self.state.get((number, key)) if key is not None else None
            return (
                held if held is not None else frozenset({(self.part(number, "[]" if key is None else key).id, stage)})
            )
        return NOTHING

    def _member(self, container: ObjectId, key: str | int | None) -> Value:
        self.taken_apart.add(container)
        if isinstance(key, int) and key < 0:
            length = exact_length(self.state, container)
            key = key + length if length is not None else None
        if key is None:
            return self.members(container)
        return self.state.get((container, key), NOTHING) | self.state.get((container, ANY_ITEM), NOTHING)

    def members(self, container: ObjectId) -> Value:
        """Return all that a container may hold, in one value."""
        return union([value for name, value in self.held_in(container) if name != LENGTH])

    def elements(self, number: ObjectId, stage: Stage) -> Value:
        """Return what one round over an object may give."""
        kind = self.kind_of(number)
        if kind is Kind.CONTAINER:
            self.taken_apart.add(number)
            return self.members(number)
        if kind is Kind.VIEW:
            return self._view_elements(number)
        if kind in OPAQUE_KINDS:
            return frozenset({(self.part(number, "[batch]", Kind.DERIVED).id, Stage.RAW)})
        if kind in DATA_KINDS:
            return frozenset({(number, stage)})
        return NOTHING

    def _view_elements(self, view: ObjectId) -> Value:
        given = self.state.get((view, ANY_ITEM))
        if given is not None:
            return given
        if view in self._open_views:  # ``loader = iter(loader)`` in a loop walks itself
            return NOTHING
        self._open_views.add(view)
        source = self.state.get((view, SOURCE), NOTHING)
        result = union([self.elements(inner, stage) for inner, stage in source])
        self._open_views.discard(view)
        return result

    # --- displays and operators -------------------------------------------------------------------------------

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        members: list[Value] | None = []
        loose: Value = NOTHING
        for element in node.elts:
            value = self.evaluate(element)
            if isinstance(element, ast.Starred):
                exact = self.sequence(value)
                if exact is None or members is None:
                    loose |= union([self.elements(*pair) for pair in value])
                    members = None
                else:
                    members += exact
            elif members is not None:
                members.append(value)
            else:
                loose |= value
        return ref(self.container(node, members if members is not None else None, loose))

    def container(
        self, node: ast.AST, members: list[Value] | None, loose: Value = NOTHING, extra: object = None
    ) -> TrackedObject:
        """Return a container with ``members`` in order; with None, one that holds ``loose`` somewhere."""
        obj = self._emptied(self.make(Kind.CONTAINER, node, extra=extra))
        if members is None:
            self.put(obj.id, ANY_ITEM, loose)
        else:
            for index, value in enumerate(members):
                self.put(obj.id, index, value)
            self.put(obj.id, LENGTH, length_mark(len(members)))
        return obj

    def _emptied(self, container: TrackedObject) -> TrackedObject:
        """Forget what a container held in an earlier round."""
        for name in self.container_names.get(container.id, ()):
            self.state.forget((container.id, name))
        return container

    def sequence(self, value: Value) -> list[Value] | None:
        """Return the members in order of what is surely one container of known length, else None."""
        if len(value) != 1:
            return None
        ((number, _),) = value
        if self.kind_of(number) is not Kind.CONTAINER or (number, ANY_ITEM) in self.state:
            return None
        length = exact_length(self.state, number)
        if length is None:
            return None
        self.taken_apart.add(number)
        return [self.state.get((number, index), NOTHING) for index in range(length)]

    def _dict(self, node: ast.Dict) -> Value:
        obj = self._emptied(self.make(Kind.CONTAINER, node))
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            self.evaluate(key_node)
            value = self.evaluate(value_node)
            key_name = constant_key(key_node)
            if key_name is not None:
                self.put(obj.id, key_name, value)
            elif key_node is None:  # {**other}
                self._merge_mapping(obj.id, value)
            else:
                self.loose_item(obj.id, value)
        return ref(obj)

    def _merge_mapping(self, container: ObjectId, other: Value) -> None:
        for number, _ in other:
            for name, value in self.held_in(number):
                self.put(container, name, value)

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.op, (ast.Div, ast.FloorDiv)) and (left or right):
            return ref(self.quotient(node, left, right, "/" if isinstance(node.op, ast.Div) else "//"))
        if not left or not right:
            return left or right
        if all(self.kind_of(number) in _ADDED_UP for number, _ in left | right):
            return left | right
        return ref(self.make(Kind.DERIVED, node, built_from=(number for number, _ in left | right)))

    def quotient(self, node: ast.AST, left: Value, right: Value, name: str = "/") -> TrackedObject:
        """Return the result of a division: kept apart, for losses and schedule lengths that are divided by hand."""
        return self.make(Kind.DERIVED, node, name, built_from=(number for number, _ in left | right))

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.evaluate(node.operand)
        return NOTHING if isinstance(node.op, ast.Not) else value

    def _compare(self, node: ast.Compare) -> Value:
        self.evaluate(node.left)
        for other in node.comparators:
            self.evaluate(other)
        return NOTHING

    def _formatted(self, node: ast.JoinedStr | ast.FormattedValue) -> Value:
        for value in node.values if isinstance(node, ast.JoinedStr) else [node.value]:
            self.evaluate(value)
        return NOTHING

    def _boolean(self, node: ast.BoolOp) -> Value:
        return union([self.evaluate(value) for value in node.values])

    def _conditional(self, node: ast.IfExp) -> Value:
        self.evaluate(node.test)
        guards, value, ends = self.guards, NOTHING, []
        for result, holds in ((node.body, True), (node.orelse, False)):
            self.guards = (*guards, Guard(node.test, holds))
            self.state.begin()
            value |= self.evaluate(result)
            ends.append(self.state.undo())
        self.state.meet(ends)
        self.guards = guards
        return value

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Value:
        value = self.evaluate(node.value)
        if isinstance(node, ast.YieldFrom):
            value = union([self.elements(*pair) for pair in value])
        self.frame.yielded |= value
        return NOTHING

    # --- comprehensions ---------------------------------------------------------------------------------------

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
        value, exact = self._run_generators(node, node.generators, [node.elt])
        if value and all(self.kind_of(number) is Kind.PARAMS for number, _ in value):
            return value
        if isinstance(node, ast.GeneratorExp):
            view = self.make(Kind.VIEW, node)
            self.put(view.id, ANY_ITEM, value)
            return ref(view)
        return ref(self.container(node, exact, value))

    def _dict_comprehension(self, node: ast.DictComp) -> Value:
        value, _ = self._run_generators(node, node.generators, [node.key, node.value])
        return ref(self.container(node, None, value))

    def _run_generators(
        self, node: ast.expr, generators: list[ast.comprehension], results: list[ast.expr]
    ) -> tuple[Value, list[Value] | None]:
        """Run the loops of a comprehension once for each known member; return the last result's value and, where
        the length is certain, its members."""
        names = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        saved = {(self.frame.id, name): self.state.get((self.frame.id, name)) for name in names}
        first = generators[0]
        iterable = self.evaluate(first.iter)
        known = self.sequence(iterable)
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        element = self.iterate(node, first.iter, iterable, loop.key)
        self.enter_loop(loop)
        rounds = known if known is not None else [element]
        members = [self._comprehension_round(first, round_value, generators[1:], results) for round_value in rounds]
        self.leave_loop()
        for key, held in saved.items():
            if held is None:
                self.state.forget(key)
            else:
                self.state[key] = held
        exact = members if known is not None and len(generators) == 1 and not first.ifs else None
        return union(members), exact

    def _comprehension_round(
        self, first: ast.comprehension, element: Value, rest: list[ast.comprehension], results: list[ast.expr]
    ) -> Value:
        self.assign(first.target, element)
        for condition in first.ifs:
            self.evaluate(condition)
        for generator in rest:
            self.assign(
                generator.target, self.iterate(generator.target, generator.iter, self.evaluate(generator.iter), None)
            )
            for condition in generator.ifs:
                self.evaluate(condition)
        value = NOTHING
        for result in results:
            value = self.evaluate(result)
        return value


def constant_key(node: ast.expr | None) -> str | int | None:
    """Return a constant subscript or key, None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    return None
