"""What calls of imported and built-in names give, by the catalogue."""

from __future__ import annotations

import ast

from prepare_fix.flow import recognise
from prepare_fix.flow.displays import constant_key
from prepare_fix.flow.events import SymbolCall, UseKind
from prepare_fix.flow.frames import Arguments
from prepare_fix.flow.imports import Imports
from prepare_fix.flow.objects import NOTHING, Kind, ObjectId, Role, Value, ref, union
from prepare_fix.flow.state import SOURCE
from prepare_fix.sources.text import SourceText

# Builtins whose result is of no interest; their arguments are evaluated all the same.
_DULL = frozenset(
    "print range isinstance issubclass int float str bool repr format open round abs hash id type dir "
    "input ord chr min max any all divmod pow hasattr callable bytes delattr".split()
)


class Symbols(Imports):
    """Adds calls of names from other modules."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.partials: dict[ObjectId, Arguments] = {}
        """The arguments that ``functools.partial`` objects hold."""

    def unknown_result(self, node: ast.AST, func: ast.expr, base: Value, arguments: Arguments) -> Value:
        """Return the object that a call of something unknown gives, and record who is handed on to it."""
        everything = arguments.everything
        result = self.make(Kind.OBJECT, node, _last_name(func))
        result.built_from.update([number for number, _ in everything])
        result.built_from.update([number for number, _ in base])
        self.record_arguments(node, arguments, result.id)
        return ref(result)

    def record_arguments(self, node: ast.AST, arguments: Arguments, result: ObjectId) -> None:
        """Record who is handed on to a call."""
        self.taken_apart.update([number for number, _ in arguments.everything])
        for expression, value, _ in arguments.positional:
            if value and expression is not None:
                self.record_use(UseKind.ARGUMENT, expression, value, call=node, result=result)
        for name, value in arguments.keywords.items():
            if value:
                self.record_use(UseKind.ARGUMENT, arguments.nodes[name], value, name=name, call=node, result=result)

    def call_symbol(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        """Return what a call of something imported (or built in) gives, by the catalogue."""
        if path in recognise.RECORDED_CALLS and isinstance(node, ast.Call) and self.abroad is None:
            words = sorted(arguments.keywords, key=lambda word: word not in recognise.RECORDED_FIRST)
            by_word = tuple(arguments.keywords[word] for word in words)
            values = tuple(value for _, value, _ in arguments.positional) or by_word
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
            return self.iterating_call(node, path, arguments)
        if path in recognise.COLLECTING_CALLS:
            return self.collect(node, arguments)
        if path.startswith("builtins."):
            return self._call_builtin(node, path.removeprefix("builtins."), arguments)
        return self._construct(node, path, arguments)

    def _construct(self, node: ast.AST, path: str, arguments: Arguments) -> Value:
        if path in recognise.LAUNCHERS:
            return self._launch(node, arguments)
        project = self.imported(*path.rpartition(".")[::2])
        if project is not None and isinstance(node, ast.Call):
            return self.call_value(node, project, arguments, node.func)
        if path == "functools.partial":
            return self._partial(node, arguments)
        if path in {"copy.deepcopy", "copy.copy"}:
            return self._copy(node, arguments)
        if path in recognise.DIVIDING_CALLS:
            return ref(self.quotient(node, arguments.everything, NOTHING))
        sources = [number for number, _ in arguments.everything]
        head, _, last = path.rpartition(".")
        role = recognise.role_of_call(path)
        is_function = head.split(".")[0] == "torch" and last[:1].islower() and head != "torch.hub"
        if role is Role.UNKNOWN and is_function and not self.opaque(arguments.everything):
            return ref(self.make(Kind.DERIVED, node, last, built_from=sources))
        if role is Role.SCHEDULER:
            sources += [number for number, _ in self._captured(arguments.everything)]
        result = self.make(Kind.OBJECT, node, path, built_from=sources, role=role)
        self.record_arguments(node, arguments, result.id)
        return ref(result)

    def _captured(self, value: Value) -> Value:
        """Return what the functions among ``value`` read from around them: a schedule's length often hides there."""
        found: Value = NOTHING
        for number, _ in value:
            node = self.objects[number].node if self.kind_of(number) is Kind.FUNCTION else None
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node is not None else set()
            found = found.union(*(self.lookup(name) for name in names))
        return frozenset(
            pair for pair in found if self.kind_of(pair[0]) not in {Kind.SYMBOL, Kind.FUNCTION, Kind.CLASS}
        )

    def _call_builtin(self, node: ast.AST, name: str, arguments: Arguments) -> Value:
        if name == "next":
            value = arguments.first()
            first = arguments.positional[0][0] if arguments.positional else None
            return self.iterate(node, first, value, None) if first is not None else NOTHING
        if name in {"getattr", "setattr", "object.__setattr__"} and len(arguments.positional) >= 2:
            return self._by_name(node, "getattr" if name == "getattr" else "setattr", arguments)
        if name == "dict":
            return self.keyword_dict(node, arguments)
        if name == "len":
            return ref(self.make(Kind.DERIVED, node, "len", built_from=(n for n, _ in arguments.first())))
        if name == "sum":
            return ref(self.make(Kind.DERIVED, node, built_from=(n for n, _ in self.elements_of(arguments.first()))))
        if name in {"exec", "eval", "locals", "globals", "vars"}:
            for number, _ in arguments.first() if name == "vars" else ():
                self.record_open_attributes(self.objects[number], node)
            self.record_gap(f"{name}()", node, None if name in {"exec", "globals"} else arguments.everything)
            return NOTHING
        if name in _DULL:
            return NOTHING
        return ref(self.make(Kind.OBJECT, node, name, built_from=(number for number, _ in arguments.everything)))

    def _by_name(self, node: ast.AST, function: str, arguments: Arguments) -> Value:
        key = constant_key(arguments.positional[1][0])
        base = arguments.first()
        if isinstance(key, str) and function == "setattr" and len(arguments.positional) == 3:
            self.attribute_writes[key] += 1
            for number, _ in base:
                self.state[number, key] = arguments.positional[2][1]
            return NOTHING
        if isinstance(key, str) and function == "getattr":
            expression = arguments.positional[0][0]
            assert expression is not None
            return union([self.attribute(number, stage, key, expression) for number, stage in base])
        # Any attribute may be the one that is read, and prepared, or bound.
        held = NOTHING.union(*(self.held_by(self.objects[number]) for number, _ in base))
        if function == "setattr":
            self.method_calls.update([number for number, _ in base])
            self.record_gap("setattr with a computed name", node, held | base | arguments.everything)
            return NOTHING
        self.record_gap("getattr with a computed name", node, held)
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
        bound = arguments.positional[1:]
        self.partials[method.id] = Arguments(bound, arguments.keywords, arguments.spread, arguments.nodes)
        for index, (_, value, _) in enumerate(bound):
            self.state[method.id, index] = value
        for name, value in arguments.keywords.items():
            self.state[method.id, name] = value
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


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
