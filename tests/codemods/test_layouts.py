"""What holds for every layout of a call, tried on generated ones."""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass

from asking import rewrite, sites, span_of
from hypothesis import assume, given
from hypothesis import strategies as st

from prepare_fix.repairs import Addition, BindTargets, DropArguments, JoinPrepare, MergePrepares, MoveStatement
from prepare_fix.sources.text import SourceText

NAMES = ("model", "self.optimizer", "loaders['train']", "é", "scheduler", "the_very_long_name_of_a_loader", "x.y[0]")
NEW = ("new_optimizer", "self.new", "n")

blanks = st.sampled_from(["", "", " ", "  "])


@dataclass(frozen=True)
class Script:
    """A statement with a prepare call, and what stands around it."""

    lead: str
    statement: str
    rest: str
    targets: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.lead + self.statement + self.rest


@st.composite
def lists(draw: st.DrawFn, codes: tuple[str, ...], margin: str, label: str) -> str:
    """Draw the text between two brackets: elements, commas, comments and line breaks."""
    serial = 0

    def gap() -> str:
        nonlocal serial
        lines = [draw(blanks)]
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
            if draw(st.booleans()):
                serial += 1
                lines[-1] += f" # {label}{serial}"
            lines.append(margin + draw(blanks))
        return "\n".join(lines)

    parts = [gap()]
    for index, code in enumerate(codes):
        is_last = index == len(codes) - 1
        comma = "," if not is_last or draw(st.booleans()) else ""
        before = gap() if draw(st.integers(0, 9)) == 0 else ""
        parts += [code, before, comma, gap() if comma or not before else ""]
    return "".join(parts)


@st.composite
def target_lists(draw: st.DrawFn, codes: tuple[str, ...], margin: str) -> str:
    shape = draw(st.sampled_from(["bare", "backslash", "(", "["]))
    if shape == "bare":
        return ", ".join(codes)
    if shape == "backslash":
        return f", \\\n{margin}".join(codes)
    inner = draw(lists(codes, margin, "t"))
    if shape == "(" and len(codes) == 1 and "," not in inner:
        return codes[0]
    return f"({inner})" if shape == "(" else f"[{inner}]"


@st.composite
def scripts(draw: st.DrawFn, most: int = 4) -> Script:
    count = draw(st.integers(1, most))
    arguments = tuple(draw(st.permutations(NAMES))[:count])
    targets = tuple(draw(st.permutations(NAMES))[:count])
    margin = draw(st.sampled_from(["", "    ", "\t", "  "]))
    head = f"import a\nif x:\n{margin}before = '''\n# no comment'''\n" if margin else "before = 1  # first\n"
    code = f"acc.prepare({draw(lists(arguments, margin, 'a'))})"
    statement = f"{draw(target_lists(targets, margin))} = {code}"
    rest = draw(st.sampled_from(["", "\n", "  # end\n", f"\n{margin}after = 2\n", f"; after = 2\n\n\n{margin}# more"]))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lead, statement, rest = (part.replace("\n", newline) for part in (head + margin, statement, rest))
    return Script(lead, statement, rest, targets, arguments)


def comments(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def objects(text: str) -> tuple[list[str], list[str]]:
    """Return the targets and the arguments of the one prepare call in ``text``."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target = node.targets[0]
            many = isinstance(target, ast.Tuple | ast.List)
            return [ast.unparse(x) for x in (target.elts if many else [target])], list(
                map(ast.unparse, node.value.args)
            )
    raise AssertionError("the call is gone")


def is_kept_by_comments(script: Script, left: int) -> bool:
    """Whether a list of targets can't become one name, since comments stand in its brackets."""
    return left == 1 and script.statement.startswith("[") and bool(comments(script.statement))


def check_surroundings(script: Script, after: str) -> None:
    assert after.startswith(script.lead)
    assert after.endswith(script.rest)
    inside = after.removeprefix(script.lead).removesuffix(script.rest)
    assert not any(
        line != line.rstrip(" \t") for line in inside.splitlines() if line.strip() and not had_blanks(script)
    )


def had_blanks(script: Script) -> bool:
    return any(line != line.rstrip(" \t") for line in script.statement.splitlines())


@given(scripts(), st.data())
def test_joined_objects_stand_where_they_were_asked_for(script: Script, data: st.DataObject) -> None:
    count = len(script.arguments)
    places = data.draw(st.lists(st.integers(0, count), min_size=1, max_size=3))
    additions = tuple(Addition(index, f"a_{name}", name) for index, name in zip(places, NEW, strict=False))
    after = rewrite(script.text, JoinPrepare(sites(script.text)[0], additions))
    expected = []
    for index, pair in enumerate([*zip(script.targets, script.arguments, strict=True), None]):
        expected += [(addition.target, addition.argument) for addition in additions if addition.index == index]
        expected += [pair] if pair else []
    assert objects(after) == ([target for target, _ in expected], [argument for _, argument in expected])
    assert comments(after) == comments(script.text)
    check_surroundings(script, after)


@given(scripts(), st.lists(st.sampled_from(NAMES + NEW), min_size=1, max_size=5, unique=True))
def test_targets_are_those_that_were_asked_for(script: Script, targets: list[str]) -> None:
    assume(not is_kept_by_comments(script, len(targets)))
    after = rewrite(script.text, BindTargets(sites(script.text)[0], tuple(targets)))
    assert objects(after) == (targets, list(script.arguments))
    if len(targets) >= len(script.targets):
        assert comments(after) == comments(script.text)
    check_surroundings(script, after)


@given(scripts(), st.data())
def test_what_is_left_stands_in_order(script: Script, data: st.DataObject) -> None:
    count = len(script.arguments)
    indexes = data.draw(st.sets(st.integers(0, count - 1), max_size=count - 1))
    assume(indexes and not is_kept_by_comments(script, count - len(indexes)))
    after = rewrite(script.text, DropArguments(sites(script.text)[0], tuple(indexes)))
    left = [index for index in range(count) if index not in indexes]
    assert objects(after) == ([script.targets[i] for i in left], [script.arguments[i] for i in left])
    check_surroundings(script, after)


@given(scripts(), st.booleans())
def test_merged_calls_keep_objects_and_comments(script: Script, with_comment: bool) -> None:
    margin = script.lead.splitlines()[-1] if script.lead[-1] in " \t" else ""
    newline = "\r\n" if "\r\n" in script.text else "\r" if "\r" in script.text else "\n"
    first = f"first = acc.prepare(second){'  # f' if with_comment else ''}{newline}{newline}{margin}"
    text = script.lead + first + script.statement + script.rest
    assume(not script.rest.startswith(";"))
    after = rewrite(text, MergePrepares(*sites(text)))
    assert objects(after) == (["first", *script.targets], ["second", *script.arguments])
    assert sorted(comments(after)) == sorted(comments(text))


STATEMENTS = (
    "s{0}()",
    "s{0} = '''\n  as it is\n# no comment\n'''",
    "s{0}(\n{1}1,  # in s{0}\n\n{1})",
    "s{0} = 1 + \\\n{1}  2",
    "if s{0}:\n{1}    inner()\n{1}    # at the end of s{0}",
    "for x in y:\n{1}    s{0}(f'''\n{{x}}\n''')\n\n{1}    more()",
    "@d\n{1}def f{0}():\n{1}    '''text\n\n  of f{0}'''",
)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    margin = draw(st.sampled_from(["", "    ", "\t"]))
    text = "def f():\n" if margin else ""
    for number in range(draw(st.integers(2, 5))):
        text += "\n" * draw(st.sampled_from([0, 0, 1, 2]))
        text += f"{margin}# about {number}\n" * draw(st.integers(0, 2))
        text += margin + draw(st.sampled_from(STATEMENTS)).format(number, margin)
        text += draw(st.sampled_from(["", "", "  # behind"])) if not text.endswith(f"of s{number}") else ""
        text += "\n"
    return text.rstrip("\n") if draw(st.booleans()) else text


def blank_runs(text: str) -> int:
    """Return the length of the longest run of blank lines."""
    longest = run = 0
    for line in text.replace("\r\n", "\n").split("\n")[:-1]:
        run = run + 1 if not line.strip() else 0
        longest = max(longest, run)
    return longest


@given(blocks(), st.data(), st.sampled_from(["\n", "\r\n"]))
def test_moved_statements_change_their_order_alone(text: str, data: st.DataObject, newline: str) -> None:
    text = text.replace("\n", newline)
    body = body_of(text)
    moved, behind = data.draw(st.permutations(range(len(body))))[:2]
    spans = [span_of(SourceText(text), node) for node in body]
    after = rewrite(text, MoveStatement(spans[moved], spans[behind]))
    order = [index for index in range(len(body)) if index != moved]
    order.insert(order.index(behind) + 1, moved)
    assert list(map(ast.dump, body_of(after))) == [ast.dump(body[index]) for index in order]
    assert sorted(comments(after)) == sorted(comments(text))
    assert sorted(filter(str.strip, after.splitlines())) == sorted(filter(str.strip, text.splitlines()))
    assert blank_runs(after) <= blank_runs(text)
    assert after.endswith(("\n", "\r")) == text.endswith(("\n", "\r"))


def body_of(text: str) -> list[ast.stmt]:
    body = ast.parse(text).body
    return body[0].body if text.startswith("def f():") and isinstance(body[0], ast.FunctionDef) else body
