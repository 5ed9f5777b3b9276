"""Fix by fix through many files: what is asked next, what was decided, and the way back. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from prepare_fix.passes import Choice, Passes

if TYPE_CHECKING:
    from prepare_fix.edits import Edit

Open = Callable[[str], Passes | None]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fix that was taken, and why it could not be made beside the others that were taken before it."""

    path: str
    choice: Choice
    reason: str


@dataclass(frozen=True, slots=True)
class _State:
    """One moment of a review: the files that are ``done``, the ``current`` one, and those that come.

    ``taken_rules`` are the rules whose fixes are taken without a question, each with whether this holds for unsafe
    fixes too.
    """

    done: tuple[Passes, ...]
    current: Passes | None
    queue: tuple[str, ...]
    taken_rules: frozenset[tuple[str, bool]] = frozenset()
    by_rule: tuple[tuple[Passes, Choice], ...] = ()
    taken: int = 0
    left: int = 0

    @property
    def passes(self) -> tuple[Passes, ...]:
        return self.done if self.current is None else (*self.done, self.current)


class Review:
    """The decisions on the fixes of several files, one at a time.

    ``open_file`` looks at the file at a path when its turn comes; it returns ``None`` where there is nothing to decide
    on any more. ``expected`` says for each path, in the order of the review, how many fixes were seen there.
    """

    def __init__(self, expected: Mapping[str, int], open_file: Open) -> None:
        self._expected = expected
        self._open_file = open_file
        self._past: list[_State] = []
        self._state = self._advance(_State((), None, tuple(expected)))

    # What is asked.

    @property
    def current(self) -> Passes | None:
        """The passes over the file that the next fix is of; ``None`` at the end."""
        return self._state.current

    @property
    def choice(self) -> Choice | None:
        """The next fix to decide on; ``None`` at the end."""
        return None if self._state.current is None else self._state.current.choice

    @property
    def number(self) -> int:
        """The number of the next fix, from 1."""
        return self._state.taken + self._state.left + 1

    @property
    def total(self) -> int:
        """How many fixes there are, as far as can be seen: a fix may uncover another, or make one needless."""
        pending = 0 if self._state.current is None else self._state.current.pending
        return self.number - 1 + pending + sum(self._expected[path] for path in self._state.queue)

    # What was decided.

    @property
    def passes(self) -> tuple[Passes, ...]:
        """The passes over all files that were opened."""
        return self._state.passes

    @property
    def unopened(self) -> tuple[str, ...]:
        """The paths of the files whose turn has not come."""
        return self._state.queue

    @property
    def taken(self) -> int:
        """How many fixes were taken."""
        return self._state.taken

    @property
    def left(self) -> int:
        """How many fixes were left."""
        return self._state.left

    @property
    def taken_by_rule(self) -> tuple[tuple[Passes, Choice], ...]:
        """The fixes that were taken without a question, each with the passes that it is one of."""
        return self._state.by_rule

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The fixes that were taken, and could not be made beside others."""
        return tuple(
            Refusal(passes.path, choice, reason) for passes in self._state.passes for choice, reason in passes.refused
        )

    # Decisions.

    def take(self) -> None:
        """Take the next fix."""
        self._decide(_taken(self._state))

    def take_rule(self) -> None:
        """Take the next fix and all that come of its rule; if it is a safe one, the safe ones."""
        choice = self.choice
        assert choice is not None
        rules = self._state.taken_rules | {(choice.rule, choice.is_safe)}
        self._decide(replace(_taken(self._state), taken_rules=rules))

    def leave(self) -> None:
        """Leave the next fix."""
        self._decide(replace(self._state, current=self._current.leave(), left=self._state.left + 1))

    def leave_file(self) -> None:
        """Leave the next fix and all others of its file."""
        left = self._state.left + self._current.pending
        self._decide(replace(self._state, current=self._current.stop(), left=left))

    def stop(self) -> None:
        """Leave all that was not decided on."""
        state = self._state
        current = None if state.current is None else state.current.stop()
        self._past.append(state)
        self._state = replace(state, current=current)

    def edit(self, edits: tuple[Edit, ...]) -> None:
        """Put ``edits`` in the place of the next fix; they are for the document as ``settle`` left it.

        Raises:
            SourceError: the edited text can't be parsed, or not be written.
            EditConflictError: the edits do not fit the text.
        """
        self._decide(replace(self._state, current=self._current.edit(edits)))

    def settle(self) -> bool:
        """Make what is taken in this file, so that the next fix can be edited; return whether it is still the same.

        Where it is not, the next question is another one.
        """
        before = self.choice
        self._state = self._advance(replace(self._state, current=self._current.settled()))
        return before is not None and self.choice is not None and self.choice.fingerprints == before.fingerprints

    def undo(self) -> bool:
        """Take the last decision back, with what followed from it; return whether there was one."""
        if not self._past:
            return False
        self._state = self._past.pop()
        return True

    @property
    def _current(self) -> Passes:
        assert self._state.current is not None
        return self._state.current

    def _decide(self, state: _State) -> None:
        self._past.append(self._state)
        self._state = self._advance(state)

    def _advance(self, state: _State) -> _State:
        """Go on to the next question."""
        while True:
            current = state.current
            if current is None:
                if not state.queue:
                    return state
                path, *queue = state.queue
                state = replace(state, current=self._open_file(path), queue=tuple(queue))
            elif current.choice is None:
                state = replace(state, done=(*state.done, current), current=None)
            elif _is_taken_by_rule(state, current.choice):
                state = replace(_taken(state), by_rule=(*state.by_rule, (current, current.choice)))
            else:
                return state


def _taken(state: _State) -> _State:
    assert state.current is not None
    return replace(state, current=state.current.take(), taken=state.taken + 1)


def _is_taken_by_rule(state: _State, choice: Choice) -> bool:
    told = state.taken_rules
    return (choice.rule, False) in told or ((choice.rule, True) in told and choice.is_safe)
