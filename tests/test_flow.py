"""What the interpreter knows at each line of the small programs in ``flow/``.

A program says what it expects in the comments behind its statements; comments on lines of their own are prose. One
comment holds one or more expectations ``key: word | word``, with ``;`` between them. A key is

- a place, ``model`` or ``self.parts["net"]``: what it may hold right after the statement, or, behind the head of a
  block (``for``, ``def``, ``except`` ...), where the block begins. Objects are a stage (``raw``, ``superseded``,
  ``prepared``, ``unwrapped``), with the role where it matters (``prepared model``); all else is the word for its kind
  (``data``, ``iterator``, ``container`` ...), ``nothing`` where there is nothing else, or ``unbound``; ``never`` behind
  a statement that no path reaches;
- ``is PLACE``: the names under which what it holds was made; ``role PLACE``: its roles, evidence from use included;
  ``models PLACE``: the models whose parameters it takes; ``length PLACE``: how many members are known for certain;
- ``use NAME``: in what stages the objects are whose method ``NAME`` the statement calls (``call``, ``iterate``,
  ``argument``, ``attribute`` for other uses); ``trains``: the roles of what it trains with; ``stale``: its stale uses;
- ``prepare``: how a prepare call is bound; ``handed``: the number of its objects; ``by``: its accelerators;
- ``backward``: whose it is; ``tuple``: what takes prepare's tuple for one object; ``gap``: what cannot be followed.

A line that runs in several calls or rounds tells all that it may hold in any of them.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from prepare_fix.flow.events import PrepareCall, Use, UseKind
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Value
from prepare_fix.flow.place import Attr, Place, place_of
from prepare_fix.flow.state import exact_length
from prepare_fix.flow.statements import Statements
from prepare_fix.flow.trace import Trace
from prepare_fix.sources.text import SourceText

FOLDER = Path(__file__).parent / "flow"

KNOWN_GAPS = {
    "batches-of-one-loader": "the batches of a loader are one object in all loops, so the training loop speaks for all",
    "contextmanager": "``as`` gets the generator that a context manager is written as, not what it yields",
    "copied": "``list(x)`` and ``x.copy()`` give the same container: changes of the copy are changes of ``x``",
    "dataclass-base": "only the fields in the dataclass's own body are filled, those of its bases are left out",
    "dict-keys": "a loop over a dict gives its values",
    "finally-of-exception": "``finally`` runs for the good way alone",
    "handler-midway": "a handler sees the beginning and the end of the body, not what lies between",
    "handler-of-raise": "what a branch did before it raised is taken back before the handler runs",
    "lazy-generator": "a generator runs where it is made, not where it is walked",
    "list-reordered": "``insert``, ``reverse`` and ``sort`` leave members at their positions",
    "list-repeated": "``[x] * n`` is taken for a list of one member",
    "suppress": "a block that swallows exceptions is taken to run to its end",
    "taken-away": "``pop``, ``clear``, ``remove`` and ``del x[key]`` leave the members and the length as they were",
}
"""Where the interpreter is wrong: the name that stands in brackets behind the expectation, and why. The expectation
says what would be right; once it holds, its test fails, and the entry goes."""

_USE_NAMES = {
    UseKind.CALL: "call",
    UseKind.ITERATE: "iterate",
    UseKind.ARGUMENT: "argument",
    UseKind.ATTRIBUTE: "attribute",
}
_KIND_NAMES = {
    Kind.DERIVED: "data",
    Kind.PARAMS: "parameters",
    Kind.VIEW: "iterator",
    Kind.SYMBOL: "import",
}
_EXPECTATION = re.compile(r"(?P<key>[^:]+): (?P<words>[^\[;]+?)(?: \[(?P<gap>[\w-]+)\])?")
_ABOUT_PLACES = ("is ", "role ", "models ", "length ")
_ABOUT_LINES = ("trains", "stale", "prepare", "handed", "by", "backward", "tuple", "gap")


@dataclass(frozen=True)
class Expectation:
    line: int
    key: str
    words: frozenset[str]
    gap: str | None

    @property
    def place(self) -> Place | None:
        """The place that it is about, if it is about one."""
        if self.key in _ABOUT_LINES or self.key.startswith("use "):
            return None
        text = next((self.key[len(each) :] for each in _ABOUT_PLACES if self.key.startswith(each)), self.key)
        place = place_of(ast.parse(text, mode="eval").body)
        assert place is not None, f"{self.key} is no place"
        return place


def expectations_in(text: str) -> Iterator[Expectation]:
    """Yield what the comments behind statements expect.

    Every one of them must be understood: an expectation with a slip in it would hold for ever.
    """
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            for part in token.string.removeprefix("#").split(";"):
                match = _EXPECTATION.fullmatch(part.strip())
                assert match is not None, f"line {token.start[0]}: {part.strip()!r} is no expectation"
                words = frozenset(word.strip() for word in match["words"].split("|"))
                yield Expectation(token.start[0], match["key"], words, match["gap"])


@dataclass(frozen=True)
class Spot:
    """The statement that a comment stands behind; with ``block``, the block that begins there."""

    first: int
    last: int
    statement: ast.stmt | None
    block: tuple[ast.stmt, ...] = ()


def spot_of(tree: ast.Module, line: int) -> Spot:
    found: list[Spot] = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and body is None and node.end_lineno == line and not hasattr(node, "cases"):
            return Spot(node.lineno, line, node)
        if isinstance(body, list) and body and not isinstance(node, ast.Module):
            head = getattr(node, "pattern", node)  # a case has no position of its own
            first = getattr(head, "lineno", 0)
            if first <= line < body[0].lineno:
                found.append(Spot(first, body[0].lineno - 1, None, tuple(body)))
    assert found, f"line {line}: no statement ends here, and no block begins"
    return max(found, key=lambda spot: spot.first)


class Probe(Statements):
    """The interpreter, looking at places behind statements."""

    def __init__(self, source: SourceText, tree: ast.Module, wanted: Iterable[Expectation]) -> None:
        super().__init__(source, tree)
        self.seen: dict[tuple[int, Place], set[Value | None]] = {}
        """What each place held at the expectations of a line, every time; None where it was not bound."""
        self.lengths: dict[tuple[int, Place], set[int | None]] = {}
        self._behind: dict[ast.stmt, list[tuple[int, Place]]] = {}
        self._in_front: dict[ast.stmt, list[tuple[int, Place]]] = {}
        for each in wanted:
            if each.place is not None:
                spot = spot_of(tree, each.line)
                table, statement = (
                    (self._behind, spot.statement) if spot.statement is not None else (self._in_front, spot.block[0])
                )
                table.setdefault(statement, []).append((each.line, each.place))
        self._runners = {kind: self._watched(runner) for kind, runner in self._runners.items()}
        self._runners.setdefault(ast.Pass, self._watched(lambda node: True))

    def _watched(self, runner: Callable[..., bool]) -> Callable[..., bool]:
        def run(node: ast.stmt) -> bool:
            completes = runner(node)
            self._look(self._behind.get(node, ()))
            return completes

        return run

    def run_block(self, body: Iterable[ast.stmt]) -> bool:
        statements = list(body)
        self._look(self._in_front.get(statements[0], ()) if statements else ())
        return super().run_block(statements)

    def _look(self, wanted: Iterable[tuple[int, Place]]) -> None:
        for line, place in wanted:
            held = self._held_at(place)
            self.seen.setdefault((line, place), set()).add(held)
            lengths = {exact_length(self.state, number) for number, _ in held or ()}
            self.lengths.setdefault((line, place), set()).update(lengths)

    def _held_at(self, place: Place) -> Value | None:
        """Return what the state holds for a place; unlike ``evaluate`` this makes no objects and runs no properties."""
        frame = self.frame.outer_names.get(place.root, self.frame)
        while (frame.id, place.root) not in self.state and frame.closure is not None:
            frame = frame.closure
        held = self.state.get((frame.id, place.root))
        for step in place.path:
            name = step.name if isinstance(step, Attr) else step.key
            inner = [self.state.get((number, name)) for number, _ in held or ()]
            known = [each for each in inner if each is not None]
            held = NOTHING.union(*known) if known else None
        return held


@dataclass(frozen=True)
class Program:
    """A program that has run under a probe."""

    tree: ast.Module
    probe: Probe
    trace: Trace

    def check(self, expected: Expectation) -> None:
        """Fail where the interpreter knows something else."""
        told = self._told(expected)
        assert any(words == expected.words for words in told), (
            f"line {expected.line}: {expected.key}: expected {_joined(expected.words)}, got "
            + ", or in other words ".join(dict.fromkeys(map(_joined, told)))
        )

    def _told(self, expected: Expectation) -> list[frozenset[str]]:
        """Return the words that would have been right: with roles, and without them."""
        if expected.place is None:
            return self._about_line(expected.key, spot_of(self.tree, expected.line))
        seen = self.probe.seen.get((expected.line, expected.place))
        if seen is None:
            return [frozenset({"never"})]
        if seen == {None}:
            return [frozenset({"unbound"})]
        if expected.key.startswith("length "):
            return [frozenset(map(str, self.probe.lengths[expected.line, expected.place]))]
        value: Value = NOTHING.union(*(each for each in seen if each is not None))
        numbers = {number for number, _ in value if number in self.trace.objects}
        if expected.key.startswith("is "):
            return [_words(map(self._name, numbers))]
        if expected.key.startswith("role "):
            return [_words(self.trace.role(number).value for number in numbers)]
        if expected.key.startswith("models "):
            return [_words(self._name(model) for number in numbers for model in self.trace.models_of(number))]
        return self._in_words(value)

    def _in_words(self, value: Value) -> list[frozenset[str]]:
        bare, full = set(), set()
        for number, stage in value:
            if number in self.trace.objects:
                kind = self.trace.objects[number].kind
                word = stage.name.lower() if kind in OPAQUE_KINDS else _KIND_NAMES.get(kind, kind.name.lower())
                bare.add(word)
                full.add(f"{word} {self.trace.role(number).value}" if kind in OPAQUE_KINDS else word)
        return [_words(bare), _words(full)]

    def _about_line(self, key: str, spot: Spot) -> list[frozenset[str]]:
        trace = self.trace
        uses = [use for use in trace.uses if _is_at(use.node, spot)]
        calls = [call for call in trace.prepare_calls if _is_at(call.node, spot)]
        if key.startswith("use "):
            return self._in_words(NOTHING.union(*(use.value for use in uses if _name_of_use(use) == key[4:])))
        facts: dict[str, Callable[[], Iterable[str]]] = {
            "trains": lambda: (trace.role(n).value for use in uses if trace.is_training(use) for n, _ in use.value),
            "stale": lambda: (_name_of_use(use) for use in trace.stale_uses if use in uses),
            "prepare": lambda: (call.binding.value for call in calls),
            "handed": lambda: ("any" if call.count is None else str(call.count) for call in calls),
            "by": lambda: (self._name(number) for call in calls for number in call.accelerator),
            "backward": lambda: (
                "plain" if each.plain else "accelerator" for each in trace.backwards if _is_at(each.node, spot)
            ),
            "tuple": lambda: self._misuses(trace.prepare_calls, spot),
            "gap": lambda: (gap.reason for gap in self.probe.log.gaps if _is_at(gap.node, spot)),
        }
        return [_words(facts[key]())]

    def _misuses(self, calls: Iterable[PrepareCall], spot: Spot) -> Iterator[str]:
        for call in calls:
            yield from (_name_of_use(use) for use in self.trace.misused_tuple(call) if _is_at(use.node, spot))

    def _name(self, number: ObjectId) -> str:
        """Return the name to which what makes an object is assigned, or the last part of what is called."""
        obj = self.trace.objects[self.trace.root(number)]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and node.value is obj.node and obj.kind is not Kind.PART:
                return ast.unparse(node.targets[0])
        return obj.name.rpartition(".")[2] or obj.kind.name.lower()


def _words(words: Iterable[str]) -> frozenset[str]:
    return frozenset(words) or frozenset({"nothing"})


def _joined(words: frozenset[str]) -> str:
    return " | ".join(sorted(words))


def _name_of_use(use: Use) -> str:
    return _USE_NAMES.get(use.kind, use.name)


def _is_at(node: ast.AST, spot: Spot) -> bool:
    return spot.first <= getattr(node, "lineno", 0) <= spot.last


def run(text: str) -> Program:
    source, tree = SourceText(text), ast.parse(text)
    probe = Probe(source, tree, list(expectations_in(text)))
    probe.run_module()
    return Program(tree, probe, Trace(source, tree, probe))


@cache
def program_in(path: Path) -> Program:
    return run(path.read_text(encoding="utf-8"))


def _cases() -> Iterator[object]:
    for path in sorted(FOLDER.glob("*.py")):
        for expected in expectations_in(path.read_text(encoding="utf-8")):
            reason = KNOWN_GAPS.get(expected.gap or "", "")
            marks = [pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True)] if expected.gap else []
            yield pytest.param(path, expected, marks=marks, id=f"{path.name}:{expected.line} {expected.key}")


@pytest.mark.parametrize(("path", "expected"), list(_cases()))
def test_what_is_known_at_a_line(path: Path, expected: Expectation) -> None:
    program_in(path).check(expected)


def test_known_gaps_are_those_that_programs_name() -> None:
    named = {each.gap for path in FOLDER.glob("*.py") for each in expectations_in(path.read_text(encoding="utf-8"))}
    assert named - {None} == set(KNOWN_GAPS)


def _all_expectations() -> list[tuple[Path, Expectation]]:
    paths = sorted(FOLDER.glob("*.py"))
    return [(path, each) for path in paths for each in expectations_in(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("word", ["raw", "superseded", "prepared", "unwrapped", "data", "nothing", "unbound", "never"])
def test_no_expectation_holds_with_another_word(word: str) -> None:
    """A probe that looks at nothing, or that takes every answer, would let all of the programs pass."""
    for path, expected in _all_expectations():
        stages = {each.split()[0] for each in expected.words}
        if expected.gap is None and stages != {word}:
            with pytest.raises(AssertionError, match=f"line {expected.line}: "):
                program_in(path).check(Expectation(expected.line, expected.key, frozenset({word}), None))


BEGIN = "from accelerate import Accelerator\nmodel = make()\n"


@pytest.mark.parametrize(
    "line",
    [
        "model = Accelerator().prepare(model)  # what comes back",
        "model = Accelerator().prepare(model)  # model:prepared",
        "model = Accelerator().prepare(model)  # model: prepared; and so on",
    ],
)
def test_a_comment_that_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(AssertionError, match="is no expectation"):
        run(BEGIN + line)


def test_prose_on_its_own_line_is_none() -> None:
    assert list(expectations_in("# model: prepared\nmodel = 1\n")) == []


def test_a_line_says_all_that_its_rounds_and_calls_may_hold() -> None:
    text = BEGIN + "def look(x):\n    pass  # x: {}\nlook(model)\nlook(Accelerator().prepare(model))\n"
    for words, holds in [("raw | prepared", True), ("raw", False), ("prepared", False)]:
        program = run(text.format(words))
        (expected,) = expectations_in(text.format(words))
        if holds:
            program.check(expected)
        else:
            with pytest.raises(AssertionError, match=r"got prepared \| raw"):
                program.check(expected)
