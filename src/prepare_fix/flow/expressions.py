"""What each kind of expression gives."""

from __future__ import annotations

import ast
from collections.abc import Callable

from prepare_fix.flow import recognise
from prepare_fix.flow.displays import Displays, constant_key
from prepare_fix.flow.events import Guard, UseKind
from prepare_fix.flow.frames import Arguments
from prepare_fix.flow.objects import (
    DATA_KINDS,
    NOTHING,
    OPAQUE_KINDS,
    Kind,
    ObjectId,
    Stage,
    TrackedObject,
    Value,
    ref,
    union,
)
from prepare_fix.flow.state import ANY_ITEM, LENGTH, NO_CHANGES, SOURCE, exact_length
from prepare_fix.sources.text import SourceText

# Sums of these are one more of them.
_ADDED_UP = frozenset({Kind.CONTAINER, Kind.PARAMS})


class Expressions(Displays):
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
            ast.Tuple: self.display,
            ast.List: self.display,
            ast.Set: self.display,
            ast.Dict: self.dict_display,
            ast.BinOp: self._binary,
            ast.BoolOp: self._boolean,
            ast.IfExp: self._conditional,
            ast.NamedExpr: self._walrus,
            ast.Lambda: self.make_function,
            ast.ListComp: self.comprehension,
            ast.SetComp: self.comprehension,
            ast.GeneratorExp: self.comprehension,
            ast.DictComp: self.dict_comprehension,
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
        if len(base) == 1:
            ((number, stage),) = base
            result = self.attribute(number, stage, node.attr, node)
        else:
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
        if name == "__dict__":
            self.record_open_attributes(obj, node)
            return NOTHING
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
        low, high = constant_key(bounds.lower), constant_key(bounds.upper)
        is_plain = bounds.step is None and (bounds.lower is None or isinstance(low, int))
        if exact is None or not is_plain or not (bounds.upper is None or isinstance(high, int)):
            return ref(self.container(node, None, union([self.elements(*pair) for pair in base])))
        start, end = low if isinstance(low, int) else None, high if isinstance(high, int) else None
        return ref(self.container(node, exact[start:end]))

    def item(self, number: ObjectId, stage: Stage, key: str | int | None) -> Value:
        """Return what ``object[key]`` may hold; ``key`` is None where it is not constant."""
        kind = self.kind_of(number)
        if kind is Kind.CONTAINER:
            return self._member(number, key)
        if kind is Kind.VIEW:
            return self._view_elements(number)
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

    # --- operators ----------------------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.op, (ast.Div, ast.FloorDiv)) and (left or right):
            return ref(self.quotient(node, left, right, "/" if isinstance(node.op, ast.Div) else "//"))
        if not left or not right:
            return left or right
        if isinstance(node.op, ast.BitOr) and len(left) == len(right) == 1:
            merged = self.merged(node, *(number for number, _ in (*left, *right)))
            if merged is not None:
                return merged
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
        value = self.evaluate(node.values[0])
        for operand in node.values[1:]:  # what comes later may not be evaluated
            self.state.begin()
            value |= self.evaluate(operand)
            self.state.meet([self.state.undo(), NO_CHANGES])
        return value

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
