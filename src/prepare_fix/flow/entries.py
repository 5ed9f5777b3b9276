"""The functions and methods that nobody in the file calls: run at the end, with unknown arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from prepare_fix.flow.frames import Frame, FunctionNode
from prepare_fix.flow.objects import NOTHING, Kind, ObjectId, Stage, TrackedObject, Value, ref
from prepare_fix.flow.scopes import FunctionInfo, Scopes
from prepare_fix.flow.state import NO_CHANGES
from prepare_fix.sources.text import SourceText

# Functions that nobody in the file calls matter where one of these is in them.
_MATTERS = re.compile(r"accelerat|prepare|backward|\.step\(")


class Entries(Scopes):
    """Adds entry points: every function of the file is run at least once."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.entries: set[FunctionNode] = set()
        """The methods run so far that nobody calls."""

    def run_uncalled(self) -> None:
        """Run the functions and methods that nobody in the file called, with unknown arguments."""
        self._run_pending(set())

    def _run_pending(self, known: set[ObjectId]) -> None:
        seen, pending = 0, list[ObjectId]()
        while True:
            if len(self.functions) > seen:  # the last one defined more
                seen = len(self.functions)
                pending = sorted(self.functions.keys() - self.executed - known, key=self._mentions, reverse=True)
            if not pending:
                return
            number = pending.pop()
            if number in self.executed:
                continue
            known.add(number)
            info = self.functions[number]
            self.state.begin()
            if info.owner is not None:
                self._run_class(info.owner)
            elif not isinstance(info.node, ast.Lambda) and _MATTERS.search(self.text_of(info.node)):
                before = set(self.functions)
                self._run_entry(number, self.enter_context(0, info.node), None)
                self._run_pending(known | (before - {number}))
            self.state.undo()

    def _mentions(self, number: ObjectId) -> tuple[int, int]:
        """Sort key: what the file mentions least comes first, it is not called by the others."""
        return self.mentions_of(self.objects[number].name), number

    def _mentions_within(self, number: ObjectId) -> tuple[int, int, int]:
        """Sort key: first comes a method that no other calls, whose name may be that of any model's too."""
        return self.calls_on_self(self.objects[number].name), *self._mentions(number)

    def _run_entry(self, number: ObjectId, context: int, receiver: Value | None) -> None:
        """Run one function with unknown arguments."""
        info = self.functions[number]
        frame = Frame(self.new_id(("frame", id(info.node), context)), info.node, context, info.closure)
        frame.method_class = info.owner
        frame.receiver = receiver if receiver is not None else NOTHING
        self._bind_unknown(frame, info, receiver)
        self.executed.add(number)
        frame.is_captured = True
        self.run_frame(frame, info)

    def _bind_unknown(self, frame: Frame, info: FunctionInfo, receiver: Value | None) -> None:
        spec = info.node.args
        parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        parameters += [extra for extra in (spec.vararg, spec.kwarg) if extra is not None]
        for index, parameter in enumerate(parameters):
            if index == 0 and receiver is not None and not info.is_static:
                self.bind_name(frame, parameter.arg, receiver)
                continue
            self.bind_name(frame, parameter.arg, ref(self._parameter(frame, parameter)))

    def _parameter(self, frame: Frame, parameter: ast.arg) -> TrackedObject:
        if parameter.annotation is not None and "Accelerator" in ast.unparse(parameter.annotation):
            return self.named_accelerator(parameter.arg)
        number = self.new_id((Kind.PARAMETER, id(parameter), frame.context))
        made = TrackedObject(number, Kind.PARAMETER, parameter, frame.context, parameter.arg)
        return self.objects.setdefault(number, made)

    def _run_class(self, cls: ObjectId) -> None:
        """Run the methods of a class that were never called, on its instances or on one made up."""
        methods = [n for n, info in self.functions.items() if info.owner == cls and n not in self.executed]
        if not self.classes[cls].is_followed or not _MATTERS.search(self.text_of(self.classes[cls].node)):
            self.executed.update(methods)
            return
        context = self.enter_context(0, self.classes[cls].node)
        receiver = self._receiver(cls, context)
        for _ in range(2):
            for number in sorted(methods, key=self._mentions_within):
                is_called = number in self.executed and self.functions[number].node not in self.entries
                if is_called or self.objects[number].name == "__init__":
                    continue
                self.entries.add(self.functions[number].node)
                is_class_method = self.is_classmethod(self.objects[number])
                method_context = self.enter_context(context, self.functions[number].node)
                handed = ref(self.objects[cls]) if is_class_method else receiver
                self.state.begin()
                self._run_entry(number, method_context, handed)
                self.state.meet([NO_CHANGES, self.state.undo()])
        self._run_pending(set(self.functions) - self._nested_in(methods))

    def _nested_in(self, methods: Iterable[ObjectId]) -> set[ObjectId]:
        nodes = {self.functions[number].node for number in methods}
        return {number for number, info in self.functions.items() if info.owner is None and info.closure.node in nodes}

    def _receiver(self, cls: ObjectId, context: int) -> Value:
        """Return the instances of ``cls``, or one made up whose ``__init__`` gets unknown arguments."""
        known = [obj for c, objs in self.instances.items() if c == cls or cls in self._all_bases(c) for obj in objs]
        if known:
            return frozenset((obj.id, Stage.RAW) for obj in known)
        number = self.new_id(("made up", cls))
        obj = TrackedObject(number, Kind.INSTANCE, self.classes[cls].node, context, self.objects[cls].name)
        self.objects[number] = obj
        self.class_of[number] = cls
        self.instances.setdefault(cls, []).append(obj)
        for function, _ in self.find_member(cls, "__init__") or ():
            if self.kind_of(function) is Kind.FUNCTION:
                inner = self.enter_context(context, self.functions[function].node)
                self._run_entry(function, inner, ref(obj))
        return ref(obj)

    def _all_bases(self, cls: ObjectId) -> set[ObjectId]:
        found: set[ObjectId] = set()
        for base in self.bases_of[cls]:
            found |= {base} | self._all_bases(base)
        return found
