"""Functions and classes of the file: definitions, and calls into them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from prepare_fix.flow import recognise
from prepare_fix.flow.calls import Calls
from prepare_fix.flow.frames import Abroad, Arguments, Frame, FunctionNode
from prepare_fix.flow.machine import MAX_CALL_DEPTH, MAX_DEPTH_ABROAD
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Role, TrackedObject, Value, ref
from prepare_fix.flow.state import ANY_ITEM, SOURCE
from prepare_fix.sources.text import SourceText

# A module of the file is followed like any other class where it drives the training itself.
_DRIVES_TRAINING = re.compile(r"accelerat|\.backward\(|\.prepare\(")
# Classes of data: what they do with their arguments is not the training loop's business.
_DATA_BASE = re.compile(r".*(?:Dataset|Sampler|Collator|Transform)")
_PLAIN_DECORATORS = frozenset({"builtins.staticmethod", "builtins.classmethod", "builtins.property"})
"""The decorators that call a function with just what it is called with."""


@dataclass(eq=False, slots=True)
class FunctionInfo:
    """What a call needs to know of a function object."""

    node: FunctionNode
    closure: Frame
    owner: ObjectId | None
    """The class that it is a method of."""
    gradients: bool = True
    fills_first: bool = False
    """The decorator hands in the first argument (``find_executable_batch_size``)."""
    is_static: bool = False
    is_decorated: bool = False
    """A decorator that is not known may hand in what the call does not."""
    is_abroad: bool = False
    """Defined in another file of the project."""

    @property
    def is_left_open(self) -> bool:
        """Whether it is there for subclasses to override, and does nothing but refuse."""
        last = self.node.body[-1] if isinstance(self.node.body, list) else None
        return isinstance(last, ast.Raise) and last.exc is not None and "NotImplementedError" in ast.dump(last.exc)


@dataclass(eq=False, slots=True)
class ClassInfo:
    """What is known of a class of the file."""

    node: ast.ClassDef
    base_paths: list[str] = field(default_factory=list)
    role: Role = Role.UNKNOWN
    is_dataclass: bool = False
    is_followed: bool = True


class Scopes(Calls):
    """Runs functions and methods where they are called."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.functions: dict[ObjectId, FunctionInfo] = {}
        self.classes: dict[ObjectId, ClassInfo] = {}
        self.executed: set[ObjectId] = set()
        self.instances: dict[ObjectId, list[TrackedObject]] = {}
        self._generators: dict[int, bool] = {}

    # --- definitions ----------------------------------------------------------------------------------------------

    def make_function(self, node: FunctionNode) -> Value:
        """Return the function object that a definition or lambda creates here."""
        frame = self.frame
        obj = self.make(Kind.FUNCTION, node, getattr(node, "name", "<lambda>"))
        # In the state, so that a prepare call that comes later makes a default stale.
        for index, default in enumerate((*node.args.defaults, *node.args.kw_defaults)):
            if default is not None:
                self.state[obj.id, f"[default {index}]"] = self.evaluate(default)
        closure = frame.closure if frame.is_class and frame.closure is not None else frame
        closure.is_captured = True
        owner = frame.id if frame.is_class else None
        is_abroad = self.is_defining_abroad or self.abroad is not None
        self.functions[obj.id] = info = FunctionInfo(node, closure, owner, is_abroad=is_abroad)
        if is_abroad:
            self.executed.add(obj.id)  # nobody asked about that file
        for decorator in getattr(node, "decorator_list", ()):
            self._decorate(obj, info, decorator)
        return ref(obj)

    def _decorate(self, obj: TrackedObject, info: FunctionInfo, decorator: ast.expr) -> None:
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        for number, _ in self.evaluate(func):
            name = self.objects[number].name if self.kind_of(number) is Kind.SYMBOL else ""
            info.is_decorated |= name not in _PLAIN_DECORATORS and name not in recognise.NO_GRAD_CONTEXTS
            if name in recognise.NO_GRAD_CONTEXTS:
                info.gradients = False
            elif name in recognise.BATCH_SIZE_FINDERS:
                info.fills_first = True
            elif name == "builtins.staticmethod":
                info.is_static = True
            elif name in {"builtins.property", "functools.cached_property"}:
                self.properties.add(obj.id)

    def define_class(self, node: ast.ClassDef) -> None:
        """Run a class statement."""
        obj = self.make(Kind.CLASS, node, node.name)
        info = self.classes[obj.id] = ClassInfo(node)
        bases = self.bases_of[obj.id] = []
        for base in node.bases:
            for number, _ in self.evaluate(base):
                if self.kind_of(number) is Kind.CLASS:
                    bases.append(number)
                    info.base_paths += self.classes[number].base_paths
                elif self.kind_of(number) is Kind.SYMBOL:
                    info.base_paths.append(self.objects[number].name)
        info.role = next(
            (role for path in info.base_paths if (role := recognise.role_of_base(path)) is not Role.UNKNOWN),
            Role.UNKNOWN,
        )
        info.is_dataclass = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        info.is_followed = self._is_followed(info)
        outer, statement = self.frame, self.statement
        self.frame = Frame(obj.id, outer.node, outer.context, outer, is_class=True)
        self.run_block(node.body)
        self.frame, self.statement = outer, statement
        self.assign(ast.copy_location(ast.Name(node.name, ast.Store()), node), ref(obj))

    def _is_followed(self, info: ClassInfo) -> bool:
        if any(_DATA_BASE.fullmatch(path) for path in info.base_paths):
            return False
        return info.role is Role.UNKNOWN or _DRIVES_TRAINING.search(self.text_of(info.node)) is not None

    def text_of(self, node: ast.stmt | ast.expr) -> str:
        """Return the source lines of a statement or expression."""
        starts = self.source.line_starts
        end = starts[node.end_lineno] if node.end_lineno is not None and node.end_lineno < len(starts) else None
        return self.source.text[starts[node.lineno - 1] : end]

    def find_member(self, cls: ObjectId, name: str) -> Value | None:
        """Return what a class of the file or its bases hold under ``name``; None where nothing does."""
        value = self.state.get((cls, name))
        if value is not None:
            return value
        for base in self.bases_of[cls]:
            value = self.find_member(base, name)
            if value is not None:
                return value
        return None

    # --- instances --------------------------------------------------------------------------------------------------

    def instantiate(self, node: ast.AST, cls: TrackedObject, arguments: Arguments) -> Value:
        """Return an instance of a class of the file."""
        info = self.classes[cls.id]
        if any(path in recognise.ACCELERATOR_CLASSES for path in info.base_paths):
            return self.call_symbol(node, "accelerate.Accelerator", arguments)
        sources = [number for number, _ in arguments.everything]
        if not info.is_followed:
            obj = self.make(Kind.OBJECT, node, cls.name, extra=cls.id, built_from=sources, role=info.role)
            self.class_of[obj.id] = cls.id
            self.record_arguments(node, arguments, obj.id)
            return ref(obj)
        obj = self.make(Kind.INSTANCE, node, cls.name, extra=cls.id, built_from=sources, role=info.role)
        self.class_of[obj.id] = cls.id
        known = self.instances.setdefault(cls.id, [])
        if obj not in known:
            known.append(obj)
        self._initialise(node, obj, arguments)
        return ref(obj)

    def _initialise(self, node: ast.AST, obj: TrackedObject, arguments: Arguments) -> None:
        cls = self.class_of[obj.id]
        member = self.find_member(cls, "__init__")
        if member is not None:
            for number, _ in member:
                if self.kind_of(number) is Kind.FUNCTION:
                    self.call_function(node, self.objects[number], arguments, ref(obj))
            return
        if self.classes[cls].is_dataclass:
            self._fill_fields(obj, arguments)
            for number, _ in self.find_member(cls, "__post_init__") or ():
                self.call_function(node, self.objects[number], Arguments(), ref(obj))

    def _fill_fields(self, obj: TrackedObject, arguments: Arguments) -> None:
        names = [
            statement.target.id
            for statement in self.classes[self.class_of[obj.id]].node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        ]
        for name, (_, value, _) in zip(names, arguments.positional, strict=False):
            self.state[obj.id, name] = value
        for name, value in arguments.keywords.items():
            self.state[obj.id, name] = value

    # --- calls ------------------------------------------------------------------------------------------------------

    def call_function(
        self, node: ast.AST, function: TrackedObject, arguments: Arguments, receiver: Value | None
    ) -> Value:
        """Run a function of the file for this call, and return what it returns."""
        info = self.functions[function.id]
        if self._is_too_deep(info):
            self.record_gap("a recursive or very deep call", node, arguments.everything)
            return ref(self.make(Kind.OBJECT, node, function.name, built_from=(n for n, _ in arguments.everything)))
        if info.is_left_open and isinstance(node, ast.Call):
            self.executed.add(function.id)
            return self.unknown_result(node, node.func, NOTHING, arguments)
        context = self.enter_context(self.frame.context, node)
        frame = Frame(self.new_id(("frame", id(info.node), context)), info.node, context, info.closure)
        frame.method_class = info.owner
        frame.is_abroad = info.is_abroad
        frame.receiver = receiver if receiver is not None else NOTHING
        self._bind(frame, function.id, arguments, None if info.is_static else receiver)
        self.executed.add(function.id)
        abroad = self.abroad
        self.abroad = self._way_abroad(node, arguments) if info.is_abroad else None
        value = self.run_frame(frame, info)
        self.abroad = abroad
        if self._is_generator(info):
            view = self.make(Kind.VIEW, node, extra="generator")
            self.put(view.id, SOURCE, arguments.everything)
            if frame.yielded:
                self.put(view.id, ANY_ITEM, frame.yielded)
            return ref(view)
        return value

    def _is_too_deep(self, info: FunctionInfo) -> bool:
        """Return whether a call is not followed: a recursion, or one far down in other files."""
        if len(self.stack) >= MAX_CALL_DEPTH or any(frame.node is info.node for frame in self.stack):
            return True
        return info.is_abroad and sum([frame.is_abroad for frame in self.stack]) >= MAX_DEPTH_ABROAD

    def _way_abroad(self, node: ast.AST, arguments: Arguments) -> Abroad | None:
        """Return the call of the checked file that code of another file runs through."""
        if self.abroad is not None or not isinstance(node, ast.Call):
            return self.abroad
        return Abroad(node, arguments, self.where())

    def run_frame(self, frame: Frame, info: FunctionInfo) -> Value:
        """Run the body of a function in ``frame``; the state afterwards is that of all its ways out."""
        outer, statement, gradients = self.frame, self.statement, self.gradients
        frame.depth = self.state.begin()
        self.stack.append(frame)
        self.frame = frame
        self.gradients = gradients and info.gradients
        if isinstance(info.node, ast.Lambda):
            frame.returned = self.evaluate(info.node.body)
        elif self.run_block(info.node.body):
            frame.leave(self.state)
        frame.join_exits(self.state)
        self.stack.pop()
        self.frame, self.statement, self.gradients = outer, statement, gradients
        if not frame.is_captured:
            self.state.forget_variables(frame.id, frame.names)
        return frame.returned

    def _bind(self, frame: Frame, function: ObjectId, arguments: Arguments, receiver: Value | None) -> None:
        """Bind the parameters of a call in ``frame``."""
        info = self.functions[function]
        spec = info.node.args
        names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)]
        given = [value for _, value, starred in arguments.positional if not starred]
        if receiver is not None:
            given = [receiver, *given]
        if info.fills_first:
            given = [NOTHING, *given]
        starred = [value for _, value, is_starred in arguments.positional if is_starred]
        rest: Value = NOTHING.union(*(self.elements_of(value) for value in starred), arguments.spread)
        offset = len(names) - len(spec.defaults)
        for index, name in enumerate(names):
            if index < len(given):
                value = given[index]
            elif name in arguments.keywords:
                value = arguments.keywords[name]
            else:
                value = self.state.get((function, f"[default {index - offset}]"), NOTHING) | rest
            self.bind_name(frame, name, value)
        for index, parameter in enumerate(spec.kwonlyargs, len(spec.defaults)):
            default = self.state.get((function, f"[default {index}]"), NOTHING)
            self.bind_name(frame, parameter.arg, arguments.keywords.get(parameter.arg, default | rest))
        self._bind_variadic(frame, info, arguments, given[len(names) :], rest)
        if not arguments.is_open and not info.fills_first and not info.is_decorated:
            self._set_switches(frame, spec, arguments, names if receiver is None else names[1:])

    def _set_switches(self, frame: Frame, spec: ast.arguments, arguments: Arguments, names: list[str]) -> None:
        """Note the parameters that get a constant, given or by default."""
        defaulted = [*spec.posonlyargs, *spec.args][len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) :]
        nodes: dict[str, ast.expr | None] = {
            parameter.arg: default
            for parameter, default in zip(
                [*defaulted, *spec.kwonlyargs], [*spec.defaults, *spec.kw_defaults], strict=True
            )
        }
        nodes.update(zip(names, (node for node, _, _ in arguments.positional), strict=False))
        nodes.update(arguments.nodes)
        frame.switches = {name: node for name, node in nodes.items() if isinstance(node, ast.Constant)}

    def _bind_variadic(
        self, frame: Frame, info: FunctionInfo, arguments: Arguments, surplus: list[Value], rest: Value
    ) -> None:
        spec = info.node.args
        if spec.vararg is not None:
            star = any(starred for _, _, starred in arguments.positional)
            extra = (spec.vararg.arg, frame.context)
            container = self.container(spec.vararg, None if star else surplus, rest.union(*surplus), extra=extra)
            self.bind_name(frame, spec.vararg.arg, ref(container))
        if spec.kwarg is not None:
            known = {parameter.arg for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
            container = self.container(spec.kwarg, [], extra=(spec.kwarg.arg, frame.context))
            for name, value in arguments.keywords.items():
                if name not in known:
                    self.put(container.id, name, value)
            if arguments.spread:
                self.loose_item(container.id, arguments.spread)
            self.bind_name(frame, spec.kwarg.arg, ref(container))

    def bind_name(self, frame: Frame, name: str, value: Value) -> None:
        """Bind the variable ``name`` of ``frame``."""
        if self.is_accelerator_name(name):
            value = self.as_accelerator(name, value, self.state.get((frame.id, name), NOTHING))
        self.state[frame.id, name] = value
        frame.note_binding(name)
        frame.switches.pop(name, None)

    def as_accelerator(self, name: str, value: Value, before: Value) -> Value:
        """Return ``value``, or the accelerator called ``name`` where nothing else is known of it.

        A name that held an accelerator ``before`` and gets something unknown is one no more: an accuracy is an ``acc``.
        """
        was_one = any(self.kind_of(number) is Kind.ACCELERATOR for number, _ in before)
        if was_one and not self._comes_from(value, before):
            return value
        if not value or all(self._may_be_accelerator(number) for number, _ in value):
            return ref(self.named_accelerator(name)) if value else value
        return value

    def _comes_from(self, value: Value, before: Value) -> bool:
        """Return whether what was there ``before`` went into ``value``."""
        sources = {number for number, _ in before if self.kind_of(number) is Kind.ACCELERATOR}
        return any(number in sources or self.objects[number].built_from & sources for number, _ in value if number > 0)

    def _may_be_accelerator(self, number: ObjectId) -> bool:
        obj = self.objects.get(number)
        return obj is not None and obj.kind in OPAQUE_KINDS and obj.role is Role.UNKNOWN

    def _is_generator(self, info: FunctionInfo) -> bool:
        node = info.node
        known = self._generators.get(id(node))
        if known is None:
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            # Few functions have the word in them: the others need not be walked.
            may_yield = info.is_abroad or "yield" in self.text_of(node)
            known = self._generators[id(node)] = may_yield and _yields(body)
        return known


def _yields(body: Iterable[ast.AST]) -> bool:
    """Return whether there is a ``yield`` among ``body`` that is not in a nested function."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)
    return False
