"""Where paths part and meet: branches and loops."""

from __future__ import annotations

import ast
from collections.abc import Callable

from prepare_fix.flow.bindings import Bindings
from prepare_fix.flow.frames import Loop, OpenLoops
from prepare_fix.flow.objects import Value
from prepare_fix.flow.state import NO_CHANGES, Changes

# A loop body whose places have not settled by then is not followed further.
MAX_ROUNDS = 6
# A loop over a literal of up to so many members is run member by member.
MAX_UNROLLED = 8


class Paths(Bindings):
    """Adds alternatives that are joined, and loops that run to a fixpoint."""

    def _go_on(self, ends: list[Changes]) -> bool:
        """Go on where the paths meet that end in ``ends``; return whether there is one."""
        if ends:
            self.state.meet(ends)
        return bool(ends)

    def run_for(self, node: ast.For | ast.AsyncFor) -> bool:
        """Run a ``for`` loop."""
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        iterable = self.evaluate(node.iter)
        self.loop_names.update([each.id for each in self.names_within(node.target) if isinstance(each, ast.Name)])
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
        was_apart = any(number in self.taken_apart for number, _ in iterable)
        known = self.sequence(iterable)
        for number, _ in iterable if known is not None else ():
            if number in self.prepared_tuples:
                self.record_tuple_use(node.iter, number, "__iter__", loop.key)
                if not was_apart:
                    self.taken_apart.discard(number)
        return known

    def _unrolled(self, node: ast.For | ast.AsyncFor, loop: Loop, known: list[Value]) -> bool:
        """Run the body once for each member of a short, known sequence."""
        loop.depth = self.state.begin()
        outer = self.unrolled
        completes = True
        for index, value in enumerate(known):
            self.unrolled = (*outer, index)
            self.assign(node.target, value)
            completes = self._run_loop_body(loop, node.body)
            if not completes:
                break
        self.unrolled = outer
        end = self.state.undo()
        return self._go_on([*loop.breaks, end] if completes else loop.breaks)

    def _run_loop_body(self, loop: Loop, body: list[ast.stmt]) -> bool:
        """Run one round; the state afterwards is that at the head of the next one."""
        loop.continues = []
        self.enter_loop(loop)
        completes = self.run_block(body)
        self.leave_loop()
        if loop.continues:
            end = self.state.undo()
            self.state.begin()
            self.state.meet([*loop.continues, end] if completes else loop.continues)
        return completes or bool(loop.continues)

    def _settle(self, loop: Loop, run_round: Callable[[], bool], orelse: list[ast.stmt], *, may_skip: bool) -> bool:
        """Run rounds until the state at the head of the loop stops changing.

        A loop within another one runs once in each round of that: it begins with what its own rounds have led to so
        far, and asks for one more round around it while that grows. Each settled by itself, loops within each other
        would run the innermost body several times as often with every level.
        """
        if self.open_loops is not None:
            end, completes = self._run_one_round(loop, run_round)
        else:
            end, completes = self._run_to_the_end(loop, run_round)
        ends = loop.breaks
        if may_skip:
            self.state.begin()
            if completes:
                self.state.meet([NO_CHANGES, end])
            self.begin_round()
            goes_on = self.run_block(orelse)
            self.end_round()
            end = self.state.undo()
            ends = [*ends, end] if goes_on else ends
        return self._go_on(ends)

    def _run_to_the_end(self, loop: Loop, run_round: Callable[[], bool]) -> tuple[Changes, bool]:
        """Run rounds of an outermost loop until it and those within it are settled."""
        self.open_loops = OpenLoops()
        for _ in range(MAX_ROUNDS):
            self.open_loops.is_settled = True
            end, completes = self._run_one_round(loop, run_round)
            if self.open_loops.is_settled:
                break
        else:
            self.record_gap("a loop that does not settle", self.statement, None)
        self.open_loops = None
        return end, completes

    def _run_one_round(self, loop: Loop, run_round: Callable[[], bool]) -> tuple[Changes, bool]:
        """Run a round from the state that the rounds so far lead to; return what it does, and whether it ends."""
        loops = self.open_loops
        assert loops is not None
        key = (loop.key, self.unrolled, tuple([frame.receiver for frame in self.stack]))
        before = loops.ends.get(key)
        if before is not None:
            self.state.meet([NO_CHANGES, before])
        loop.depth = self.state.begin()
        loop.breaks = []
        completes = run_round()
        end = self.state.undo()
        if completes:
            loops.ends[key] = end
            loops.is_settled &= not self.state.is_widened_by(end)
        return end, completes

    def run_while(self, node: ast.While) -> bool:
        """Run a ``while`` loop."""
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def run_round() -> bool:
            self.statement = node
            self.evaluate(node.test)
            return self._run_loop_body(loop, node.body)

        return self._settle(loop, run_round, node.orelse, may_skip=not endless)
