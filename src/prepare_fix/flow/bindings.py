"""Binding values to targets: names, attributes, items, and tuples of them."""

from __future__ import annotations

import ast

from prepare_fix.flow.entries import Entries
from prepare_fix.flow.events import AttributeWrite
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Value, ref, union
from prepare_fix.flow.state import ANY_ITEM

# What changes a model when something is assigned to an attribute of it: the model, a layer, parameters.
_CHANGED_KINDS = frozenset({*OPAQUE_KINDS, Kind.PARAMS})


class Bindings(Entries):
    """Adds assignment to any target."""

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind ``target`` to ``value``."""
        if isinstance(target, ast.Name):
            frame = self.frame.outer_names.get(target.id, self.frame)
            self.bind_name(frame, target.id, value)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)

    def note_change(self, target: ast.expr) -> None:
        """Count that ``target`` is bound to something that need not be kept, such as a number."""
        if isinstance(target, ast.Name):
            self.frame.outer_names.get(target.id, self.frame).note_binding(target.id)
        elif isinstance(target, ast.Attribute):
            self.attribute_writes[target.attr] += 1

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        self.attribute_writes[target.attr] += 1
        base = self.evaluate(target.value)
        if self.is_accelerator_name(target.attr):
            before = union([self.state.get((number, target.attr), NOTHING) for number, _ in base])
            value = self.as_accelerator(target.attr, value, before)
        is_here = self.abroad is None and not self.is_defining_abroad
        if is_here and any(self.kind_of(number) in _CHANGED_KINDS for number, _ in base):
            write = AttributeWrite(target, base, value, self.where())
            self.log.writes[id(target), self.frame.context] = write
        for number, _ in base:
            key = (number, target.attr)
            self.state[key] = value if len(base) == 1 else self.state.get(key, NOTHING) | value

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        base = self.evaluate(target.value)
        self.evaluate(target.slice)
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        if isinstance(target.slice, ast.Slice):
            self._assign_slice(target.slice, base, value)
            return
        for number, _ in base:
            if isinstance(key, (str, int)) and len(base) == 1:
                self.put(number, key, value)
                continue
            self.method_calls[number] += 1  # any item may be another by now
            if value:
                self._spread_item(number, value)

    def _assign_slice(self, bounds: ast.Slice, base: Value, value: Value) -> None:
        """Put the members of ``value`` into a slice of a list: ``parts[:] = prepare(*parts)`` replaces them all."""
        exact = self.sequence(value)
        is_all = bounds.lower is None and bounds.upper is None and bounds.step is None
        for number, _ in base:
            if is_all and exact is not None and len(base) == 1:
                for index, each in enumerate(exact):
                    self.put(number, index, each)
            else:
                self._spread_item(number, union([self.elements(*pair) for pair in value]))

    def _spread_item(self, container: ObjectId, value: Value) -> None:
        """Store ``value`` under an unknown key: any member may be it from now on."""
        positions = [(name, held) for name, held in self.held_in(container) if isinstance(name, int)]
        for name, held in positions:
            self.put(container, name, held | value)
        if not positions:
            self.loose_item(container, value)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        star = next((index for index, each in enumerate(target.elts) if isinstance(each, ast.Starred)), None)
        exact = self.sequence(value)
        if exact is not None and star is not None:
            tail = len(target.elts) - star - 1
            middle = exact[star : len(exact) - tail] if len(exact) >= len(target.elts) - 1 else []
            exact = [*exact[:star], ref(self.container(target, middle)), *exact[len(exact) - tail :]]
        for index, element in enumerate(target.elts):
            if exact is not None:
                self.assign(element, exact[index] if index < len(exact) else NOTHING)
            else:
                self.assign(element, self._unpacked(value, index, star))

    def _unpacked(self, value: Value, index: int, star: int | None) -> Value:
        """Return what position ``index`` of something unpacked may hold."""
        results: Value = NOTHING
        for number, stage in value:
            kind = self.kind_of(number)
            if star is not None and index >= star:
                results |= self.elements(number, stage)
            elif kind is Kind.CONTAINER:
                results |= self.state.get((number, index), NOTHING) | self.state.get((number, ANY_ITEM), NOTHING)
            elif kind in OPAQUE_KINDS:
                results |= self.item(number, stage, index)
            else:
                results |= self.elements(number, stage)
        return results

    def assign_in_parallel(self, target: ast.expr, value: ast.expr) -> None:
        """Run ``a, b = x, y`` without making a tuple of it."""
        assert isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
        values = [self.evaluate(element) for element in value.elts]
        for element, each in zip(target.elts, values, strict=True):
            self.assign(element, each)
