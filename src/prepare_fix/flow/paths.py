"""Where paths part and meet: branches and loops."""

from __future__ import annotations

import ast
from collections.abc import Callable

from prepare_fix.flow.bindings import Bindings
from prepare_fix.flow.events import Guard
from prepare_fix.flow.frames import Loop
from prepare_fix.flow.objects import Value
from prepare_fix.flow.state import State, absorb, changed_places, join

# A loop body whose places have not settled by then is not followed further.
MAX_ROUNDS = 6
# A loop over a literal of up to so many members is run member by member.
MAX_UNROLLED = 8


class Paths(Bindings):
    """Adds alternatives that are joined, and loops that run to a fixpoint."""

    def run_branches(self, branches: list[tuple[Guard | None, list[ast.stmt]]]) -> bool:
        """Run alternatives from the same state and join the ways out."""
        start, guards = self.state, self.guards
        written = start.dirty
        self.written.append(written)
        ends: list[State] = []
        for guard, body in branches:
            self.state = State(start)
            self.state.dirty = set()
            self.guards = guards if guard is None else (*guards, guard)
            if not body or self.run_block(body):
                ends.append(self.state)
        self.written.pop()
        self.guards = guards
        self.state = self.meeting(ends) if ends else start
        self.state.dirty |= written
        return bool(ends)

    def meeting(self, ends: list[State]) -> State:
        """Return what holds where the paths that end in ``ends`` meet; the first of them becomes it."""
        first = ends[0]
        for other in ends[1:]:
            absorb(first, other)
        return first

    def leaving(self) -> State:
        """Return the state in which a path jumps out of the branches around it."""
        self.state.dirty.update(*self.written)
        return self.state

    def run_for(self, node: ast.For | ast.AsyncFor) -> bool:
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        iterable = self.evaluate(node.iter)
        self.loop_names.update(name.id for name in ast.walk(node.target) if isinstance(name, ast.Name))
        known = self._walked_sequence(node, iterable, loop)
        if known is not None and 0 < len(known) <= MAX_UNROLLED and not node.orelse:
            return self._unrolled(node, loop, known)

        def run_round() -> bool:
            self.statement = node
            self.assign(node.target, self.iterate(node, node.iter, iterable, loop.key))
            return self._run_loop_body(loop, node.body)

        return self._settle(loop, run_round, node.orelse, may_skip=True)

    def _walked_sequence(self, node: ast.For | ast.AsyncFor, iterable: Value, loop: Loop) -> list[Value] | None:
        """Return the members of a sequence of known length; a loop over the result of prepare may be a mistake."""
        before = set(self.taken_apart)
        known = self.sequence(iterable)
        for number, _ in iterable if known is not None else ():
            if number in self.prepared_tuples:
                self.record_tuple_use(node.iter, number, "__iter__", loop.key)
                self.taken_apart = before
        return known

    def _unrolled(self, node: ast.For | ast.AsyncFor, loop: Loop, known: list[Value]) -> bool:
        """Run the body once for each member of a short, known sequence."""
        breaks: list[State] = []
        self.unrolled += 1
        for value in known:
            self.assign(node.target, value)
            completes = self._run_loop_body(loop, node.body)
            breaks += loop.breaks
            loop.breaks = []
            if not completes:
                break
        else:
            breaks.append(self.state)
        self.unrolled -= 1
        if not breaks:
            return False
        self.state = self.meeting(breaks)
        return True

    def _run_loop_body(self, loop: Loop, body: list[ast.stmt]) -> bool:
        """Run one round; the state afterwards is that at the head of the next one."""
        loop.continues = []
        self.loops.append(loop)
        completes = self.run_block(body)
        self.loops.pop()
        ends = [*loop.continues, *([self.state] if completes else [])]
        if not ends:
            return False
        self.state = self.meeting(ends)
        return True

    def _settle(self, loop: Loop, run_round: Callable[[], bool], orelse: list[ast.stmt], *, may_skip: bool) -> bool:
        """Run rounds until the state at the head of the loop stops changing."""
        head = State(self.state)
        end: State | None = None
        for _ in range(MAX_ROUNDS):
            self.state = State(head)
            loop.breaks = []
            end = self.state if run_round() else None
            if end is None or not changed_places(head, end):
                break
            head = join(head, end)
        else:
            self.record_gap("a loop that does not settle", self.statement, None)
        after = [*loop.breaks]
        if may_skip:
            self.state = head if end is None else join(head, end)
            if self.run_block(orelse):
                after.append(self.state)
        if not after:
            return False
        self.state = self.meeting(after)
        return True

    def run_while(self, node: ast.While) -> bool:
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def run_round() -> bool:
            self.statement = node
            self.evaluate(node.test)
            return self._run_loop_body(loop, node.body)

        return self._settle(loop, run_round, node.orelse, may_skip=not endless)
