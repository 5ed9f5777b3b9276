"""What a call gives, by what is called."""

from __future__ import annotations

import ast

from prepare_fix.flow import recognise
from prepare_fix.flow.events import AttributeWrite, UseKind
from prepare_fix.flow.frames import Arguments
from prepare_fix.flow.objects import (
    DATA_KINDS,
    NOTHING,
    OPAQUE_KINDS,
    Kind,
    ObjectId,
    Role,
    Stage,
    TrackedObject,
    Value,
    ref,
    union,
)
from prepare_fix.flow.state import SOURCE
from prepare_fix.flow.symbols import Symbols
from prepare_fix.flow.wrapper import VISIBLE
from prepare_fix.sources.text import SourceText

# Methods of tensors whose result no longer leads to a backward: data, and numbers that nothing is asked of.
_DETACHING = frozenset({"detach", "detach_", "numpy", "tolist"})
_MEASURING = frozenset({"item", "size", "numel", "dim", "shape", "backward"})

# What holds a tensor that is changed in place, so that it can be bound to the outcome. (An attribute may be a weight.)
_BOUND = (ast.Name, ast.Subscript)


class Calls(Symbols):
    """Dispatches calls to functions and classes of the file, objects, containers, accelerators and imported names."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.bases_of: dict[ObjectId, list[ObjectId]] = {}
        """The base classes of each class, as far as they are in the file."""

    def evaluate_call(self, node: ast.Call) -> Value:
        """Return what the call may give."""
        func = node.func
        if isinstance(func, ast.Attribute):
            if _is_super(func.value):
                return self._call_super(node, func.attr, self._arguments(node))
            base = self.evaluate(func.value)
            arguments = self._arguments(node)
            return self._call_members(node, func, base, arguments)
        callee = self.evaluate(func)
        return self.call_value(node, callee, self._arguments(node), func)

    def _arguments(self, node: ast.Call) -> Arguments:
        arguments = Arguments()
        for argument in node.args:
            starred = isinstance(argument, ast.Starred)
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            arguments.positional.append((inner, self.evaluate(inner), starred))
            arguments.is_open |= starred
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                arguments.spread |= union([self.elements(*pair) for pair in value])
                arguments.is_open = True
            else:
                arguments.keywords[keyword.arg] = value
                arguments.nodes[keyword.arg] = keyword.value
        return arguments

    # --- methods ------------------------------------------------------------------------------------------------

    def _call_members(self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments) -> Value:
        if not base:
            if func.attr == "backward" and not node.args:
                self.record_plain_backward(node, base, func.value, arguments)
            return self.unknown_result(node, func, NOTHING, arguments)
        if func.attr == "backward":
            self._record_losses(node, func, base, arguments)
        kinds = {self.kind_of(number) for number, _ in base}
        accelerators = opaque = NOTHING
        results: list[Value] = []
        if Kind.ACCELERATOR in kinds:
            accelerators = frozenset(pair for pair in base if self.kind_of(pair[0]) is Kind.ACCELERATOR)
            owners = frozenset(number for number, _ in accelerators)
            results.append(self.call_accelerator(node, owners, func.attr, arguments, func.value))
        if not kinds.isdisjoint(OPAQUE_KINDS):
            opaque = frozenset([pair for pair in base if self._is_opaque_method(pair[0], func.attr)])
            if opaque:
                results.append(self._object_method(node, func, opaque, arguments))
        for number, stage in base - accelerators - opaque:
            results.append(self._call_member(node, func, number, stage, arguments))
        result = union(results)
        if func.attr[-1] == "_" and func.attr in recognise.DIVIDING_METHODS and isinstance(func.value, _BOUND):
            self.assign(func.value, result)
        return result

    def _record_losses(self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments) -> None:
        """Record that any of ``base`` goes backward, whichever the loss is: a sum, or a part of it."""
        losses = frozenset(
            pair for pair in base if self.kind_of(pair[0]) in DATA_KINDS or self._is_opaque_method(pair[0], func.attr)
        )
        if losses:
            self.record_plain_backward(node, losses, func.value, arguments)

    def _is_opaque_method(self, number: ObjectId, name: str) -> bool:
        obj = self.objects.get(number)
        return obj is not None and obj.kind in OPAQUE_KINDS and (number, name) not in self.state

    def _call_member(
        self, node: ast.Call, func: ast.Attribute, number: ObjectId, stage: Stage, arguments: Arguments
    ) -> Value:
        obj = self.objects.get(number)
        if obj is None:
            return NOTHING
        if obj.kind is Kind.SYMBOL:
            return self.call_symbol(node, f"{obj.name}.{func.attr}", arguments)
        if obj.kind is Kind.CONTAINER:
            return self.container_method(node, func, number, arguments)
        if obj.kind in DATA_KINDS:
            return self._derived_method(node, func, number, stage, arguments)
        if obj.kind is Kind.CLASS:
            return self._class_method(node, func, obj, arguments)
        if obj.kind is Kind.INSTANCE and self._is_inherited(number, func.attr):
            return self._inherited_method(node, func, obj, arguments)
        if obj.kind is Kind.VIEW or obj.kind is Kind.FUNCTION:
            return NOTHING
        callee = self.attribute(number, stage, func.attr, func)
        if not callee.isdisjoint(self.stale):
            self.record_stale_read(func, callee)
        return self.call_value(node, callee, arguments, func)

    def _is_inherited(self, instance: ObjectId, name: str) -> bool:
        """Return whether a method comes from a base class outside the file."""
        return (instance, name) not in self.state and self.find_member(self.class_of[instance], name) is None

    def _inherited_method(self, node: ast.Call, func: ast.Attribute, obj: TrackedObject, arguments: Arguments) -> Value:
        """Return what a method of an unknown base class gives."""
        if func.attr in recognise.IDENTITY_METHODS:
            return ref(obj)
        if func.attr in recognise.PARAMETER_METHODS:
            return ref(self.make(Kind.PARAMS, node, built_from=[obj.id]))
        if func.attr not in VISIBLE:  # a hook of a class that is not known may prepare what the object holds
            self.record_open_attributes(obj, node)
            self.method_calls[obj.id] += 1
        return self.unknown_result(node, func, ref(obj), arguments)

    def _object_method(self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments) -> Value:
        """Return what a method of a model, optimizer, loader, scheduler or unknown object gives."""
        name = func.attr
        numbers = [number for number, _ in base]
        self.method_calls.update(numbers)
        result: Value
        if name in recognise.IDENTITY_METHODS:
            result = base
        elif name in recognise.PARAMETER_METHODS:
            params = self.make(Kind.PARAMS, node, built_from=numbers)
            self.state[params.id, SOURCE] = base
            result = ref(params)
        elif name == "__iter__":
            result = self.view(node, base)
        elif name in _MEASURING:
            result = NOTHING
        elif name in _DETACHING:
            result = self._detached(node, numbers)
        elif name in recognise.DIVIDING_METHODS:
            result = ref(self.quotient(node, base, arguments.everything))
        else:
            result = self.unknown_result(node, func, base, arguments)
            # Data may be collected in an object: a loss comes out of it later.
            data = {other for other, _ in arguments.everything if self._is_data(other)}
            for number in numbers:
                self.objects[number].built_from.update(data)
        made = next(iter(result))[0] if len(result) == 1 and result != base else None
        self.record_use(UseKind.METHOD, func.value, base, name=name, call=node, result=made)
        return result

    def _is_data(self, number: ObjectId) -> bool:
        obj = self.objects.get(number)
        if obj is None or obj.role is not Role.UNKNOWN or obj.prepared_from is not None:
            return False
        return obj.kind is Kind.DERIVED or obj.kind is Kind.OBJECT

    def _derived_method(
        self, node: ast.Call, func: ast.Attribute, number: ObjectId, stage: Stage, arguments: Arguments
    ) -> Value:
        name = func.attr
        own: Value = frozenset({(number, stage)})
        if name in _MEASURING:
            return NOTHING
        if name in _DETACHING:
            return self._detached(node, [number])
        if name == "requires_grad_" and self.abroad is None and self.kind_of(number) is Kind.PARAMS:
            self.log.writes[id(func), self.frame.context] = AttributeWrite(func, own, NOTHING, self.where())
        if name in recognise.DIVIDING_METHODS:
            return ref(self.quotient(node, own, arguments.everything))
        extra = arguments.everything
        if not extra or name in recognise.IDENTITY_METHODS:
            return own
        return ref(self.make(Kind.DERIVED, node, name, built_from=[number, *(other for other, _ in extra)]))

    def _detached(self, node: ast.AST, sources: list[ObjectId]) -> Value:
        made = self.make(Kind.DERIVED, node, built_from=sources)
        made.is_detached = True
        return ref(made)

    def _class_method(self, node: ast.Call, func: ast.Attribute, cls: TrackedObject, arguments: Arguments) -> Value:
        member = self.find_member(cls.id, func.attr)
        if member is None:  # an inherited constructor, such as from_pretrained
            return self.instantiate(node, cls, Arguments(spread=arguments.everything))
        results = []
        for number, _ in member:
            function = self.objects[number]
            if function.kind is Kind.FUNCTION:
                receiver = ref(cls) if self.is_classmethod(function) else None
                results.append(self.call_function(node, function, arguments, receiver))
        return union(results)

    def is_classmethod(self, function: TrackedObject) -> bool:
        """Return whether the function takes the class as its first argument."""
        decorators = getattr(function.node, "decorator_list", [])
        return any(isinstance(decorator, ast.Name) and decorator.id == "classmethod" for decorator in decorators)

    def _call_super(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        frame = self.frame
        if frame.method_class is None:
            return NOTHING
        for base in self.bases_of[frame.method_class]:
            member = self.find_member(base, name)
            functions = [self.objects[number] for number, _ in member or () if self.kind_of(number) is Kind.FUNCTION]
            if functions:
                return union([self.call_function(node, each, arguments, frame.receiver) for each in functions])
        self.method_calls.update([number for number, _ in frame.receiver])
        return NOTHING

    # --- plain calls --------------------------------------------------------------------------------------------

    def call_value(self, node: ast.AST, callee: Value, arguments: Arguments, func: ast.expr) -> Value:
        """Return what calling ``callee`` may give."""
        opaque = self.opaque(callee)
        results: list[Value] = []
        if opaque:
            results.append(self._call_opaque(node, func, opaque, arguments))
        for number, _ in callee - opaque:
            obj = self.objects.get(number)
            result = self._call_known(node, func, obj, arguments) if obj is not None else None
            if result is not None:
                results.append(result)
        return union(results) if results else self.unknown_result(node, func, NOTHING, arguments)

    def _call_known(self, node: ast.AST, func: ast.expr, obj: TrackedObject, arguments: Arguments) -> Value | None:
        """Return what calling something other than a model or the like gives; None for what can't be called."""
        if obj.kind is Kind.FUNCTION:
            return self.call_function(node, obj, arguments, None)
        if obj.kind is Kind.CLASS:
            return self.instantiate(node, obj, arguments)
        if obj.kind is Kind.SYMBOL:
            return self.call_symbol(node, obj.name, arguments)
        if obj.kind is Kind.METHOD:
            return self._call_bound(node, func, obj, arguments)
        if obj.kind is Kind.INSTANCE:
            return self._call_instance(node, obj, arguments, func)
        if obj.kind is Kind.CONTAINER:
            self.record_tuple_use(func, obj.id, "")
        elif obj.kind is Kind.DERIVED:
            return self.unknown_result(node, func, ref(obj), arguments)
        return None

    def _call_bound(self, node: ast.AST, func: ast.expr, method: TrackedObject, arguments: Arguments) -> Value:
        results = []
        for number, _ in self.state.get((method.id, SOURCE), NOTHING):
            owner = self.objects[number]
            if owner.kind is Kind.ACCELERATOR and isinstance(node, ast.Call):
                results.append(self.call_accelerator(node, frozenset({number}), method.name, arguments, func))
            elif owner.kind is Kind.INSTANCE:
                member = self.find_member(self.class_of[number], method.name) or NOTHING
                for function_number, _ in member:
                    function = self.objects[function_number]
                    if function.kind is Kind.FUNCTION:
                        results.append(self.call_function(node, function, arguments, ref(owner)))
            elif owner.kind is Kind.FUNCTION and method.id in self.partials:
                results.append(self.call_function(node, owner, self._completed(method.id, arguments), None))
        return union(results)

    def _completed(self, partial: ObjectId, arguments: Arguments) -> Arguments:
        early = self._bound_early(partial)
        return Arguments(
            [*early.positional, *arguments.positional],
            {**early.keywords, **arguments.keywords},
            early.spread | arguments.spread,
            {**early.nodes, **arguments.nodes},
        )

    def _bound_early(self, partial: ObjectId) -> Arguments:
        """Return the arguments that a partial was made with, as they are by now: a prepare call makes them stale."""
        made = self.partials[partial]
        positional = [
            (node, self.state.get((partial, index), value), starred)
            for index, (node, value, starred) in enumerate(made.positional)
        ]
        keywords = {name: self.state.get((partial, name), value) for name, value in made.keywords.items()}
        return Arguments(positional, keywords, made.spread, made.nodes)

    def _call_instance(self, node: ast.AST, obj: TrackedObject, arguments: Arguments, func: ast.expr) -> Value:
        for name in ("__call__", "forward"):
            member = self.find_member(self.class_of[obj.id], name)
            functions = [self.objects[number] for number, _ in member or () if self.kind_of(number) is Kind.FUNCTION]
            if functions:
                return union([self.call_function(node, each, arguments, ref(obj)) for each in functions])
        return self.unknown_result(node, func, ref(obj), arguments)

    def _call_opaque(self, node: ast.AST, func: ast.expr, callee: Value, arguments: Arguments) -> Value:
        """Return what calling an object gives: the output of a model or loss, or what a factory makes."""
        if all(self._is_called_for_data(number) for number, _ in callee):
            result = ref(self.make(Kind.DERIVED, node, built_from=(number for number, _ in arguments.everything)))
        else:
            result = self.unknown_result(node, func, NOTHING, arguments)
        made = next(iter(result))[0] if len(result) == 1 else None
        self.record_use(UseKind.CALL, func, callee, call=node, result=made)
        return result

    def _is_called_for_data(self, number: ObjectId) -> bool:
        obj = self.objects[number]
        return obj.role is Role.MODEL or obj.prepared_from is not None


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
