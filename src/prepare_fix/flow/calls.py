"""What a call gives, by what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from prepare_fix.flow import recognise
from prepare_fix.flow.accelerators import Accelerators
from prepare_fix.flow.events import SymbolCall, UseKind
from prepare_fix.flow.expressions import constant_key
from prepare_fix.flow.machine import Arguments
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Role, Stage, TrackedObject, Value, ref
from prepare_fix.flow.state import ANY_ITEM, LENGTH, SOURCE, exact_length, length_mark

# Methods of tensors whose result no longer leads to a backward.
_DETACHING = frozenset({"detach", "item", "tolist", "numpy", "size", "numel", "dim", "shape", "detach_"})
# Builtins whose result is of no interest; their arguments are evaluated all the same.
_DULL = frozenset(
    "print len range isinstance issubclass int float str bool repr format open round abs hash id type vars dir "
    "input ord chr min max any all divmod pow hasattr callable bytes delattr".split()
)
_CONTAINER_METHODS = frozenset(name for kind in (list, tuple, dict, set) for name in vars(kind))


class Calls(Accelerators):
    """Dispatches calls to functions and classes of the file, objects, containers, accelerators and imported names."""

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
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                arguments.spread |= NOTHING.union(*(self.elements(*pair) for pair in value))
            else:
                arguments.keywords[keyword.arg] = value
                arguments.nodes[keyword.arg] = keyword.value
        return arguments

    # --- methods ------------------------------------------------------------------------------------------------

    def _call_members(self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments) -> Value:
        accelerators = frozenset(number for number, _ in base if self.kind_of(number) is Kind.ACCELERATOR)
        results: list[Value] = []
        if accelerators:
            results.append(self.call_accelerator(node, accelerators, func.attr, arguments, func.value))
        opaque = frozenset(pair for pair in base if self._is_opaque_method(pair[0], func.attr))
        if opaque:
            results.append(self._object_method(node, func, opaque, arguments))
        for number, stage in base:
            if number not in accelerators and (number, stage) not in opaque:
                results.append(self._call_member(node, func, number, stage, arguments))
        if not base:
            if func.attr == "backward" and not node.args:
                self.record_plain_backward(node, base, func.value, arguments)
            return self._unknown_result(node, func, NOTHING, arguments)
        return NOTHING.union(*results)

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
            return self._container_method(node, func, number, arguments)
        if obj.kind in {Kind.DERIVED, Kind.PARAMS}:
            return self._derived_method(node, func, number, stage, arguments)
        if obj.kind is Kind.CLASS:
            return self._class_method(node, func, obj, arguments)
        if obj.kind is Kind.INSTANCE and self.find_member(self.class_of[number], func.attr) is None:
            if (number, func.attr) not in self.state:
                return self._inherited_method(node, func, obj, arguments)
        if obj.kind in {Kind.VIEW, Kind.FUNCTION}:
            return NOTHING
        return self.call_value(node, self.attribute(number, stage, func.attr, func), arguments, func)

    def _inherited_method(self, node: ast.Call, func: ast.Attribute, obj: TrackedObject, arguments: Arguments) -> Value:
        """Return what a method of an unknown base class gives."""
        if func.attr in recognise.IDENTITY_METHODS:
            return ref(obj)
        if func.attr in recognise.PARAMETER_METHODS:
            return ref(self.make(Kind.PARAMS, node, built_from=[obj.id]))
        return self._unknown_result(node, func, ref(obj), arguments)

    def _object_method(self, node: ast.Call, func: ast.Attribute, base: Value, arguments: Arguments) -> Value:
        """Return what a method of a model, optimizer, loader, scheduler or unknown object gives."""
        name = func.attr
        numbers = [number for number, _ in base]
        result: Value
        if name in recognise.IDENTITY_METHODS:
            result = base
        elif name in recognise.PARAMETER_METHODS:
            params = self.make(Kind.PARAMS, node, built_from=numbers)
            self.state[params.id, SOURCE] = base
            result = ref(params)
        elif name == "backward":
            self.record_plain_backward(node, base, func.value, arguments)
            result = NOTHING
        elif name == "__iter__":
            result = self._view(node, base)
        elif name in _DETACHING:
            result = NOTHING
        else:
            result = self._unknown_result(node, func, base, arguments)
        made = next(iter(result))[0] if len(result) == 1 and result != base else None
        self.record_use(UseKind.METHOD, func.value, base, name=name, call=node, result=made)
        return result

    def _derived_method(
        self, node: ast.Call, func: ast.Attribute, number: ObjectId, stage: Stage, arguments: Arguments
    ) -> Value:
        name = func.attr
        own: Value = frozenset({(number, stage)})
        if name == "backward":
            self.record_plain_backward(node, own, func.value, arguments)
            return NOTHING
        if name in _DETACHING:
            return NOTHING
        if name in {"div", "div_", "true_divide"}:
            return ref(self.quotient(node, own, arguments.everything))
        extra = arguments.everything
        if not extra or name in recognise.IDENTITY_METHODS:
            return own
        return ref(self.make(Kind.DERIVED, node, name, built_from=[number, *(other for other, _ in extra)]))

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
        return NOTHING.union(*results)

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
                return NOTHING.union(*(self.call_function(node, each, arguments, frame.receiver) for each in functions))
        return NOTHING

    bases_of: dict[ObjectId, list[ObjectId]]

    def _container_method(self, node: ast.Call, func: ast.Attribute, number: ObjectId, arguments: Arguments) -> Value:
        name = func.attr
        if name in {"append", "add"}:
            self._append(number, arguments.first())
        elif name in {"extend", "update", "insert", "setdefault", "appendleft"}:
            inner = [self.elements(*pair) for pair in arguments.everything] if name in {"extend", "update"} else []
            self.loose_item(number, arguments.everything.union(*inner) if not inner else NOTHING.union(*inner))
            self.state.forget((number, LENGTH))
        elif name in {"values", "pop", "popitem", "copy"}:
            key = constant_key(node.args[0]) if node.args else None
            if name == "copy":
                return frozenset({(number, Stage.RAW)})
            if name == "values":
                return self._values_view(node, number)
            return self.item(number, Stage.RAW, key)
        elif name == "items":
            pair = self.container(node, [NOTHING, self.members(number)], extra="pair")
            view = self.make(Kind.VIEW, node, extra="items")
            self.put(view.id, ANY_ITEM, ref(pair))
            return ref(view)
        elif name == "get":
            key = constant_key(node.args[0]) if node.args else None
            return self.item(number, Stage.RAW, key)
        elif name not in _CONTAINER_METHODS:
            self.record_tuple_use(func.value, number, name)
        return NOTHING

    def _values_view(self, node: ast.AST, number: ObjectId) -> Value:
        held = {name: value for name, value in self.held_in(number) if name != LENGTH}
        if ANY_ITEM in held:
            return ref(self.container(node, None, self.members(number), extra="values"))
        return ref(self.container(node, list(held.values()), extra="values"))

    def _append(self, container: ObjectId, value: Value) -> None:
        length = exact_length(self.state, container)
        if length is None or self.loops:
            self.loose_item(container, value)
            self.state.forget((container, LENGTH))
            return
        self.put(container, length, value)
        self.put(container, LENGTH, length_mark(length + 1))

    # --- plain calls --------------------------------------------------------------------------------------------

    def call_value(self, node: ast.AST, callee: Value, arguments: Arguments, func: ast.expr) -> Value:
        """Return what calling ``callee`` may give."""
        opaque = self.opaque(callee)
        results: list[Value] = []
        if opaque:
            results.append(self._call_opaque(node, func, opaque, arguments))
        for number, _ in callee - opaque:
            obj = self.objects.get(number)
            if obj is None:
                continue
            if obj.kind is Kind.FUNCTION:
                results.append(self.call_function(node, obj, arguments, None))
            elif obj.kind is Kind.CLASS:
                results.append(self.instantiate(node, obj, arguments))
            elif obj.kind is Kind.SYMBOL:
                results.append(self.call_symbol(node, obj.name, arguments))
            elif obj.kind is Kind.METHOD:
                results.append(self._call_bound(node, func, obj, arguments))
            elif obj.kind is Kind.INSTANCE:
                results.append(self._call_instance(node, obj, arguments, func))
            elif obj.kind is Kind.CONTAINER:
                self.record_tuple_use(func, number, "")
            elif obj.kind is Kind.DERIVED:
                results.append(self._unknown_result(node, func, callee, arguments))
        return NOTHING.union(*results) if results else self._unknown_result(node, func, NOTHING, arguments)

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
        return NOTHING.union(*results)

    partials: dict[ObjectId, Arguments]

    def _completed(self, partial: ObjectId, arguments: Arguments) -> Arguments:
        early = self.partials[partial]
        return Arguments(
            [*early.positional, *arguments.positional],
            {**early.keywords, **arguments.keywords},
            early.spread | arguments.spread,
            {**early.nodes, **arguments.nodes},
        )

    def _call_instance(self, node: ast.AST, obj: TrackedObject, arguments: Arguments, func: ast.expr) -> Value:
        for name in ("__call__", "forward"):
            member = self.find_member(self.class_of[obj.id], name)
            functions = [self.objects[number] for number, _ in member or () if self.kind_of(number) is Kind.FUNCTION]
            if functions:
                return NOTHING.union(*(self.call_function(node, each, arguments, ref(obj)) for each in functions))
        return self._unknown_result(node, func, ref(obj), arguments)

    def _call_opaque(self, node: ast.AST, func: ast.expr, callee: Value, arguments: Arguments) -> Value:
        """Return what calling an object gives: the output of a model or loss, or what a factory makes."""
        if all(self._is_called_for_data(number) for number, _ in callee):
            sources = [number for number, _ in arguments.everything] if self.gradients else []
            result = ref(self.make(Kind.DERIVED, node, built_from=sources))
        else:
            result = self._unknown_result(node, func, NOTHING, arguments)
        made = next(iter(result))[0] if len(result) == 1 else None
        self.record_use(UseKind.CALL, func, callee, call=node, result=made)
        return result

    def _is_called_for_data(self, number: ObjectId) -> bool:
        obj = self.objects[number]
        return obj.role is Role.MODEL or obj.prepared_from is not None

    def _unknown_result(self, node: ast.AST, func: ast.expr, base: Value, arguments: Arguments) -> Value:
        """Return the object that a call of something unknown gives, and record who is handed on to it."""
        everything = arguments.everything
        result = self.make(Kind.OBJECT, node, _last_name(func))
        if self.gradients:
            result.built_from.update(number for number, _ in everything | base)
        self._record_arguments(node, arguments, result.id)
        return ref(result)

    def _record_arguments(self, node: ast.AST, arguments: Arguments, result: ObjectId) -> None:
        self.taken_apart.update(number for number, _ in arguments.everything)
        for expression, value, _ in arguments.positional:
            if value and expression is not None:
                self.record_use(UseKind.ARGUMENT, expression, value, call=node, result=result)
        for name, value in arguments.keywords.items():
            if value:
                self.record_use(UseKind.ARGUMENT, arguments.nodes[name], value, name=name, call=node, result=result)

    # --- imported names -------------------------------------------------------------------------------------------

    def call_symbol(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        """Return what a call of something imported (or built in) gives, by the catalogue."""
        if path in recognise.RECORDED_CALLS and isinstance(node, ast.Call):
            values = tuple(value for _, value, _ in arguments.positional)
            places = self.accelerator_places() if path in recognise.CLIP_CALLS else ()
            record = SymbolCall(path, node, values, self.where(), places)
            self.log.symbol_calls[id(node), self.frame.context] = record
        if path in recognise.ACCELERATOR_CLASSES:
            self.roots_with_accelerator.add(self.root_of(self.frame.context))
            return ref(self.make(Kind.ACCELERATOR, node, path))
        if path in recognise.IDENTITY_CALLS:
            return arguments.first() or arguments.keywords.get("module", NOTHING)
        if path in recognise.UNWRAP_CALLS:
            return self.unwrapped(arguments.first())
        if path in recognise.ITERATING_CALLS:
            return self._iterating_call(node, path, arguments)
        if path in recognise.COLLECTING_CALLS:
            return self._collect(node, arguments)
        if path.startswith("builtins."):
            return self._call_builtin(node, path.removeprefix("builtins."), arguments)
        return self._construct(node, path, arguments)

    def _construct(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        if path in recognise.LAUNCHERS:
            return self._launch(node, arguments)
        if path == "functools.partial":
            return self._partial(node, arguments)
        if path in {"copy.deepcopy", "copy.copy"}:
            return self._copy(node, arguments)
        sources = [number for number, _ in arguments.everything] if self.gradients else []
        head, _, last = path.rpartition(".")
        role = recognise.role_of_call(path)
        if role is Role.UNKNOWN and head.split(".")[0] == "torch" and last[:1].islower() and head != "torch.hub":
            if not any(self.kind_of(number) in OPAQUE_KINDS for number, _ in arguments.everything):
                return ref(self.make(Kind.DERIVED, node, last, built_from=sources))
        result = self.make(Kind.OBJECT, node, path, built_from=sources, role=role)
        self._record_arguments(node, arguments, result.id)
        return ref(result)

    def _iterating_call(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        value = arguments.everything
        if path in {"builtins.filter", "builtins.map"} and len(arguments.positional) > 1:
            value = NOTHING.union(*(value for _, value, _ in arguments.positional[1:]))
        if value and all(self.kind_of(number) is Kind.PARAMS for number, _ in value):
            return value
        view = self._view(node, value)
        ((number, _),) = view
        if path in recognise.NUMBERED_CALLS:
            pair = self.container(node, [NOTHING, self._elements_of(arguments.first())], extra="pair")
            self.put(number, ANY_ITEM, ref(pair))
        elif path in recognise.ZIPPING_CALLS:
            columns = [self._elements_of(each) for _, each, starred in arguments.positional if not starred]
            self.put(number, ANY_ITEM, ref(self.container(node, columns, extra="pair")))
        return view

    def _elements_of(self, value: Value) -> Value:
        return NOTHING.union(*(self.elements(*pair) for pair in value))

    def _view(self, node: ast.AST, value: Value) -> Value:
        view = self.make(Kind.VIEW, node, extra="view", built_from=(number for number, _ in value))
        self.put(view.id, SOURCE, value)
        return ref(view)

    def _collect(self, node: ast.AST, arguments: Arguments) -> Value:
        value = arguments.first()
        if not value:
            return ref(self.container(node, [] if not arguments.positional else None))
        if all(self.kind_of(number) in {Kind.CONTAINER, Kind.PARAMS, Kind.DERIVED} for number, _ in value):
            return value
        assert arguments.positional[0][0] is not None
        element = self.iterate(node, arguments.positional[0][0], value, None)
        return ref(self.container(node, None, element))

    def _call_builtin(self, node: ast.AST, name: str, arguments: Arguments) -> Value:
        if name == "next":
            value = arguments.first()
            first = arguments.positional[0][0] if arguments.positional else None
            return self.iterate(node, first, value, None) if first is not None else NOTHING
        if name in {"getattr", "setattr"} and len(arguments.positional) >= 2:
            return self._by_name(node, name, arguments)
        if name == "dict":
            return self._keyword_dict(node, arguments)
        if name == "sum":
            return ref(self.make(Kind.DERIVED, node, built_from=(n for n, _ in self._elements_of(arguments.first()))))
        if name in {"exec", "eval", "locals", "globals"}:
            self.record_gap(f"{name}()", node, None if name in {"exec", "globals"} else arguments.everything)
            return NOTHING
        if name in _DULL:
            return NOTHING
        return ref(self.make(Kind.OBJECT, node, name, built_from=(number for number, _ in arguments.everything)))

    def _keyword_dict(self, node: ast.AST, arguments: Arguments) -> Value:
        obj = self.container(node, [])
        for key, value in arguments.keywords.items():
            self.put(obj.id, key, value)
        return ref(obj)

    def _by_name(self, node: ast.AST, function: str, arguments: Arguments) -> Value:
        key = constant_key(arguments.positional[1][0])
        base = arguments.first()
        if isinstance(key, str) and function == "setattr" and len(arguments.positional) == 3:
            for number, _ in base:
                self.state[number, key] = arguments.positional[2][1]
            return NOTHING
        if isinstance(key, str) and function == "getattr":
            expression = arguments.positional[0][0]
            assert expression is not None
            return NOTHING.union(*(self.attribute(number, stage, key, expression) for number, stage in base))
        if function == "setattr":
            self.record_gap("setattr with a computed name", node, base | arguments.everything)
            return NOTHING
        return ref(self.make(Kind.OBJECT, node, "getattr", built_from=(number for number, _ in base)))

    def _copy(self, node: ast.AST, arguments: Arguments) -> Value:
        results: Value = NOTHING
        for number, _ in arguments.first():
            original = self.objects[self.root_object(number)]
            results |= ref(self.make(Kind.OBJECT, node, original.name, extra=original.id, role=original.role))
        return results

    def _partial(self, node: ast.AST, arguments: Arguments) -> Value:
        method = self.make(Kind.METHOD, node, "partial")
        self.state[method.id, SOURCE] = arguments.first()
        self.partials[method.id] = Arguments(
            arguments.positional[1:], arguments.keywords, arguments.spread, arguments.nodes
        )
        return ref(method)

    def _launch(self, node: ast.AST, arguments: Arguments) -> Value:
        """Run the function that a launcher is given, with the tuple of arguments that it is given."""
        handed = arguments.keywords.get("args", NOTHING)
        if len(arguments.positional) > 1:
            handed = arguments.positional[1][1]
        exact = self.sequence(handed) or []
        inner = Arguments([(None, value, False) for value in exact])
        for number, _ in arguments.first() or arguments.keywords.get("function", NOTHING):
            if self.kind_of(number) is Kind.FUNCTION:
                self.call_function(node, self.objects[number], inner, None)
        return NOTHING

    # --- iteration ------------------------------------------------------------------------------------------------

    def iterate(self, node: ast.AST, iterable: ast.expr, value: Value, loop: int | None) -> Value:
        """Record that ``value`` is iterated, and return what one round may give."""
        element = self._elements_of(value)
        sources = self._iterated_sources(value)
        if sources:
            made = [number for number, _ in self._batches(sources)]
            self.record_use(
                UseKind.ITERATE, iterable, sources, call=node, result=made[0] if len(made) == 1 else None, loop=loop
            )
        return element

    def _iterated_sources(self, value: Value) -> Value:
        """Return the objects behind ``value`` that are walked: the loader under ``enumerate(tqdm(loader))``."""
        found: Value = NOTHING
        for number, stage in value:
            if self.kind_of(number) is Kind.VIEW:
                found |= self._iterated_sources(self.state.get((number, SOURCE), NOTHING))
            elif self.kind_of(number) in OPAQUE_KINDS:
                found |= {(number, stage)}
        return found

    def _batches(self, sources: Iterable[tuple[ObjectId, Stage]]) -> Value:
        return NOTHING.union(*(self.elements(number, stage) for number, stage in sources))


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
