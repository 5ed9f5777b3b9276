"""Lists, tuples, dicts and sets written out, and comprehensions: what makes containers."""

from __future__ import annotations

import ast

from prepare_fix.flow.frames import Loop
from prepare_fix.flow.machine import Machine
from prepare_fix.flow.objects import NOTHING, Kind, ObjectId, TrackedObject, Value, ref, union
from prepare_fix.flow.state import ANY_ITEM, LENGTH, exact_length, is_hidden, length_mark


class Displays(Machine):
    """Makes containers whose members are known one by one where that can be."""

    def display(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        """Return the container that a list, tuple or set display makes."""
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

    def dict_display(self, node: ast.Dict) -> Value:
        """Return the container that a dict display makes."""
        obj = self._emptied(self.make(Kind.CONTAINER, node))
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            self.evaluate(key_node)
            value = self.evaluate(value_node)
            key_name = constant_key(key_node)
            if key_name is not None:
                self.put(obj.id, key_name, value)
            elif key_node is None:  # {**other}
                for number, _ in value:
                    self.merge_mapping(obj.id, number)
            else:
                self.loose_item(obj.id, value)
        return ref(obj)

    def merge_mapping(self, container: ObjectId, other: ObjectId) -> None:
        """Put what one mapping holds into another, under the same names."""
        for name, value in self.held_in(other):
            if name != LENGTH:
                self.put(container, name, value)

    def merged(self, node: ast.AST, left: ObjectId, right: ObjectId) -> Value | None:
        """Return what ``left | right`` makes of two mappings: what stands in both comes from the right one. None for
        anything else."""
        if not self.is_mapping(left) or not self.is_mapping(right):
            return None
        obj = self.container(node, [])
        self.merge_mapping(obj.id, left)
        self.merge_mapping(obj.id, right)
        return ref(obj)

    def is_mapping(self, number: ObjectId) -> bool:
        """Return whether an object is a container in which all stands under a string, as in most dicts."""
        names = [name for name, _ in self.held_in(number) if name != LENGTH]
        is_named = not any(isinstance(name, int) or is_hidden(name) for name in names)
        return is_named and self.kind_of(number) is Kind.CONTAINER

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
        """Return what a list or set comprehension, or a generator expression, makes."""
        value, exact = self._run_generators(node, node.generators, [node.elt])
        if value and all(self.kind_of(number) is Kind.PARAMS for number, _ in value):
            return value
        if isinstance(node, ast.GeneratorExp):
            view = self.make(Kind.VIEW, node)
            self.put(view.id, ANY_ITEM, value)
            return ref(view)
        return ref(self.container(node, exact, value))

    def dict_comprehension(self, node: ast.DictComp) -> Value:
        """Return the container that a dict comprehension makes."""
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
