"""Conditions: ``if`` statements, and what is known where one is asked again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Guard
from prepare_fix.flow.frames import Frame
from prepare_fix.flow.objects import NOTHING, Kind, ObjectId, Value
from prepare_fix.flow.paths import Paths
from prepare_fix.flow.questions import Question, is_main_guard, question_of
from prepare_fix.flow.state import NO_CHANGES, Changes, Key
from prepare_fix.sources.text import SourceText


class Answer(NamedTuple):
    """What a place held where a condition was true, and where it was not; None where it was not there."""

    true: Value | None
    false: Value | None
    bindings: int
    """How often the place had been bound by then."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a condition made of the places that differ by its answer.

    It holds in the run of the function, the round of the loop and the branches that the condition was asked in, as long
    as nothing in it is bound anew.
    """

    node: ast.If
    holds: bool
    """The answer in the first branch of it."""
    frame: Frame
    rounds: tuple[int, ...]
    guards: tuple[Guard, ...]
    bindings: tuple[int, ...]
    answers: dict[Key, Answer]


class Conditions(Paths):
    """Adds ``if``: both ways, unless the call says which; and only what goes with the answer where it was asked before.

    ``if flag: b = make()`` and, behind a prepare call, ``if flag: b = prepared.pop()``: the two go together.
    """

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._questions: dict[int, Question | None] = {}
        self._outcomes: dict[tuple[ObjectId, str], Outcome] = {}

    def run_if(self, node: ast.If) -> bool:
        """Run an ``if`` statement; return whether control reaches the end of it."""
        self.evaluate(node.test)
        self._note_accelerators(node.test)
        holds = True if is_main_guard(node.test) else self._known_outcome(node.test)
        if holds is not None:
            return self.run_block(node.body if holds else node.orelse)
        question = self._question(node.test)
        bindings = self._bindings(question) if question is not None else None
        if question is None or bindings is None:
            return self._go_on([end for end in self._run_ways(node, {}, True) if end is not None])
        known = self._known_answers(node, question, bindings)
        ends = self._run_ways(node, known, question.holds)
        if bindings == self._bindings(question):
            self._note_outcome(node, question, bindings, ends)
        return self._go_on([end for end in ends if end is not None])

    def _run_ways(self, node: ast.If, known: dict[Key, Answer], holds: bool) -> list[Changes | None]:
        """Run both branches from the same state; return what each does, None for one that does not reach its end.

        ``known`` is what goes with the answers to the question of the test, ``holds`` the answer in the first branch.
        """
        guards, ends = self.guards, list[Changes | None]()
        for is_first, body in ((True, node.body), (False, node.orelse)):
            nones = self._nones(node.test, is_first)
            if not body and not known and not nones:
                ends.append(NO_CHANGES)
                continue
            self.guards = (*guards, Guard(node.test, is_first))
            self.state.begin()
            self._narrow(known, holds is is_first)
            for key in nones:
                self.state[key] = NOTHING
            completes = self.run_block(body)
            changes = self.state.undo()
            ends.append(changes if completes else None)
        self.guards = guards
        return ends

    def _nones(self, test: ast.expr, holds: bool) -> list[Key]:
        """Return the places that hold None where ``test`` comes out as ``holds``, and may hold something else here."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._nones(test.operand, not holds)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
            return [key for value in test.values for key in self._nones(value, holds)]
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not _is_none(test.comparators[0]):
            return []
        if not isinstance(test.ops[0], ast.Is if holds else ast.IsNot):
            return []
        key = self._key_of(test.left)
        return [key] if key is not None and self.state.get(key) else []

    def _key_of(self, node: ast.expr) -> Key | None:
        """Return where a variable, or an attribute of one known object, is kept; None for anything else."""
        if isinstance(node, ast.Name):
            return self._frame_of(node.id).id, node.id
        if not isinstance(node, ast.Attribute):
            return None
        base = self.evaluate(node.value)
        return (next(iter(base))[0], node.attr) if len(base) == 1 else None

    def _note_accelerators(self, test: ast.expr) -> None:
        """Remember which names in a condition hold an accelerator: ``if accelerator:`` may run without one."""
        for node in _questioned(test):
            if not self.evaluate(node).isdisjoint(self.accelerators):
                self.log.accelerator_tests.add(id(node))

    def _known_outcome(self, test: ast.expr) -> bool | None:
        """Return how a condition on a parameter comes out in this call, None where the call does not say.

        A helper with a switch (``train=False``) is followed only where the switch lets it go.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._known_outcome(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.Name):
            known = self.frame.switches.get(test.id)
            return None if known is None else bool(known.value)
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1:
            known = self.frame.switches.get(test.left.id)
            if known is not None and _is_none(test.comparators[0]) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
                return (known.value is None) is isinstance(test.ops[0], ast.Is)
        return None

    # --- conditions that are asked again ------------------------------------------------------------------------------

    def _question(self, test: ast.expr) -> Question | None:
        if id(test) not in self._questions:
            self._questions[id(test)] = question_of(test)
        return self._questions[id(test)]

    def _bindings(self, question: Question) -> tuple[int, ...] | None:
        """Return how often each thing in a question has been bound, None where it may change out of sight."""
        counts: list[int] = []
        for part in question.parts:
            count = self._frame_of(part.id).names.get(part.id, 0) if isinstance(part, ast.Name) else self._changes(part)
            if count is None:
                return None
            counts.append(count)
        return tuple(counts)

    def _changes(self, part: ast.Attribute | ast.Subscript) -> int | None:
        """Return how often an attribute or item may have been bound, None where nobody can say."""
        base = self.evaluate(part.value)
        calls = sum([self.method_calls[number] for number, _ in base])
        if isinstance(part, ast.Subscript):
            key = part.slice.value if isinstance(part.slice, ast.Constant) else None
            return calls + sum([self.item_writes[number, key] for number, _ in base if isinstance(key, (int, str))])
        # Whether this is the main process stays so; ``sync_gradients`` and the like do not.
        is_accelerator = any(self.kind_of(number) is Kind.ACCELERATOR for number, _ in base)
        if is_accelerator and part.attr not in recognise.LASTING_ATTRIBUTES:
            return None
        return calls + self.attribute_writes[part.attr]

    def _frame_of(self, name: str) -> Frame:
        """Return the running function, or one around it, whose variable ``name`` is."""
        frame: Frame | None = self.frame.outer_names.get(name, self.frame)
        while frame is not None:
            if name in frame.names:
                return frame
            frame = frame.closure
        return self.frame

    def _note_outcome(
        self, node: ast.If, question: Question, bindings: tuple[int, ...], ends: list[Changes | None]
    ) -> None:
        """Remember what the places hold that differ by the answer."""
        true, false = ends if question.holds else reversed(ends)
        if true is None or false is None:
            return
        answers: dict[Key, Answer] = {}
        for place in {**true, **false}:
            here = self.state.get(place)
            one, other = true.get(place, here), false.get(place, here)
            times = self._times_bound(place) if one != other else None
            if times is not None:
                answers[place] = Answer(one, other, times)
        if answers:
            self._outcomes[self.frame.id, question.text] = Outcome(
                node, question.holds, self.frame, self.rounds, self.guards, bindings, answers
            )

    def _known_answers(self, node: ast.If, question: Question, bindings: tuple[int, ...]) -> dict[Key, Answer]:
        """Return what is known of the places that have not been bound since the same was asked."""
        known = self._outcomes.get((self.frame.id, question.text))
        if known is None or not self._still_holds(known, bindings):
            # In one call it may hold, in another not: then no branch is surely the one that was taken.
            self.log.asked_before.update({(id(node.test), True): (), (id(node.test), False): ()})
            return {}
        for is_first in (True, False):
            taken = known.node.body if (question.holds is known.holds) is is_first else known.node.orelse
            self.log.asked_before.setdefault((id(node.test), is_first), taken)
        return {key: answer for key, answer in known.answers.items() if self._times_bound(key) == answer.bindings}

    def _still_holds(self, known: Outcome, bindings: tuple[int, ...]) -> bool:
        """Return whether the condition of ``known`` comes out here as it did there."""
        if known.frame is not self.frame or known.bindings != bindings:
            return False
        return _begins_with(self.rounds, known.rounds) and _begins_with(self.guards, known.guards)

    def _times_bound(self, key: Key) -> int | None:
        """Return how often a place has been bound; None where that is not counted."""
        owner, name = key
        if owner == self.frame.id:
            return self.frame.names.get(str(name))
        if owner not in self.objects:  # a variable of another function
            return None
        return self.item_writes[key] + self.attribute_writes[str(name)]

    def _narrow(self, known: dict[Key, Answer], holds: bool) -> None:
        """Leave the places with what they hold on the paths where the condition came out as it does here."""
        for key, answer in known.items():
            here = self.state.get(key)
            wanted, other = (answer.true, answer.false) if holds else (answer.false, answer.true)
            kept = None if here is None else _kept(here, wanted, other)
            if here is None or kept is here:
                continue
            if kept is None:
                self.state.forget(key)
            else:
                self.state[key] = kept


def _kept(here: Value, wanted: Value | None, other: Value | None) -> Value | None:
    """Return the part of ``here`` that comes from ``wanted``; all of it where it comes from elsewhere by now."""
    this, that = wanted or NOTHING, other or NOTHING
    if here == this | that:
        return wanted
    # A prepare call may have superseded some of it since.
    these = {number for number, _ in this}
    if not {number for number, _ in here} <= these | {number for number, _ in that}:
        return here
    return frozenset(pair for pair in here if pair[0] in these) if wanted is not None else None


def _begins_with(longer: tuple[object, ...], first: tuple[object, ...]) -> bool:
    return longer[: len(first)] == first


def _questioned(test: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    """Yield the names and attributes that a condition asks whether they are there."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        yield test
    elif isinstance(test, ast.UnaryOp):
        yield from _questioned(test.operand)
    elif isinstance(test, ast.Compare):
        yield from _questioned(test.left)
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _questioned(value)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
