"""What holds for every script, tried on changed golden cases and on generated programs."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import libcst as cst
from hypothesis import assume, given
from hypothesis import strategies as st

from prepare_fix import Settings, check_source, fix_source
from prepare_fix.candidates import is_candidate
from prepare_fix.pipeline import check_document
from prepare_fix.sources.module import module_from_text, read_module

GOLDEN = Path(__file__).parent / "golden"
UNSAFE = Settings(unsafe_fixes=True)
BEFORE = sorted(GOLDEN.glob("pf*/*/before.py"))
SILENT = sorted((GOLDEN / "no_change").glob("*.py"))

scripts = st.sampled_from([*BEFORE, *SILENT]).map(lambda path: path.read_bytes().decode("utf-8"))
silent_scripts = st.sampled_from(SILENT).map(lambda path: path.read_bytes())


def rules_of(text: str) -> Counter[str]:
    return Counter(finding.rule for finding in check_source(text))


def fix(text: str, settings: Settings = UNSAFE) -> str:
    return fix_source(text, settings=settings).text


# --- no edit: the same bytes ---------------------------------------------------------------------------------------


@given(silent_scripts, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.booleans(), st.booleans())
def test_without_an_edit_the_bytes_stay(raw: bytes, newline: bytes, bom: bool, last_newline: bool) -> None:
    raw = raw.replace(b"\r\n", b"\n").replace(b"\n", newline)
    raw = raw if last_newline else raw.rstrip(b"\r\n")
    raw = b"\xef\xbb\xbf" + raw if bom else raw
    module = read_module(raw, "script.py")
    assert fix(module.source.text) == module.source.text
    assert module.replaced(()).raw == raw


@given(scripts, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_are_kept_by_a_fix(text: str, newline: str) -> None:
    assume("\r" not in text)
    fixed = fix(text.replace("\n", newline))
    assert fixed == fix(text).replace("\n", newline)


# --- changes that mean nothing -------------------------------------------------------------------------------------


class NamesOf(ast.NodeVisitor):
    """Which names of a script are variables of its own that can be called anything.

    Left alone: functions, classes and what stands in a class itself, for others reach it as an attribute; imports, what
    is passed by keyword, and an accelerator that comes in from outside, since its name is all that is known about it.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.bound: set[str] = set()
        self.fixed: set[str] = {"self", "cls", "_"}
        self.on_self: set[str] = set()
        self.on_others: set[str] = set()
        self.visit(tree)
        self.variables = {name for name in self.bound - self.fixed if not name.startswith("__")}
        self.attributes = self.on_self - self.on_others - self.fixed

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bound.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            if isinstance(node.ctx, ast.Store):
                self.on_self.add(node.attr)
        else:
            self.on_others.add(node.attr)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        (self.fixed if "accel" in node.arg else self.bound).add(node.arg)

    def visit_keyword(self, node: ast.keyword) -> None:
        self.fixed.update([node.arg] if node.arg else [])
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.fixed.add((node.asname or node.name).split(".")[0])

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.fixed.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bound = (
            name
            for statement in node.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
            for name in ast.walk(statement)
        )
        self.fixed |= {name.id for name in bound if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        self.visit_FunctionDef(node)


class Renamer(cst.CSTTransformer):
    def __init__(self, variables: dict[str, str], attributes: dict[str, str]) -> None:
        super().__init__()
        self.variables = variables
        self.attributes = attributes

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.variables.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        attr = original_node.attr.value
        if isinstance(original_node.value, cst.Name) and original_node.value.value == "self":
            attr = self.attributes.get(attr, attr)
        return updated_node.with_changes(attr=cst.Name(attr))

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_ImportAlias(self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias) -> cst.ImportAlias:
        return original_node


words = st.sampled_from(["x", "thing", "modèle", "q_", "Zed", "loader_", "optimizer_of_"])


@given(scripts, words)
def test_renaming_all_variables_keeps_the_findings(text: str, word: str) -> None:
    names = NamesOf(ast.parse(text))
    variables = {name: f"{word}{number}" for number, name in enumerate(sorted(names.variables))}
    attributes = {name: f"{word}attribute{number}" for number, name in enumerate(sorted(names.attributes))}
    renamed = cst.parse_module(text).visit(Renamer(variables, attributes)).code
    assert rules_of(renamed) == rules_of(text)


unrelated = st.sampled_from(
    [
        "unrelated = {}",
        "print('still here')",
        "if len('unrelated') > 3: print('so it is')",
        "for unrelated in range(3): print(unrelated)",
        "import json as unrelated",
        "unrelated = [number for number in range(3)]",
        "assert True, 'unrelated'",
    ]
)


def places_between_statements(text: str) -> list[tuple[int, str]]:
    """Return the lines (from 0) in front of which a statement can stand, each with its indentation."""
    lines = text.split("\n")
    places = []
    for node in ast.walk(ast.parse(text)):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None)):
            for statement in body if isinstance(body, list) else []:
                decorators = getattr(statement, "decorator_list", [])
                line = min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1
                indentation = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
                is_first = len(indentation.encode()) == statement.col_offset and not lines[line].lstrip().startswith(
                    "elif"
                )
                if is_first and not is_pinned(statement):
                    places.append((line, indentation))
    return sorted(set(places))


def is_pinned(statement: ast.stmt) -> bool:
    """Return whether nothing may stand in front: a docstring, an import from the future."""
    is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_docstring or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


@given(scripts, st.data())
def test_unrelated_statements_keep_the_findings(text: str, data: st.DataObject) -> None:
    assume("\r" not in text)
    lines = text.split("\n")
    places = data.draw(st.lists(st.sampled_from(places_between_statements(text)), min_size=1, max_size=3, unique=True))
    for line, indentation in sorted(places, reverse=True):
        lines.insert(line, indentation + data.draw(unrelated))
    changed = "\n".join(lines)
    ast.parse(changed)
    assert rules_of(changed) == rules_of(text)


# --- generated programs --------------------------------------------------------------------------------------------

NAMES = ["model", "net", "optimizer", "opt", "loader", "data", "scheduler", "self.model", "self.optimizer", "d['m']"]
HEADER = """\
import itertools
import torch
from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
accelerator = Accelerator()
"""

places = st.sampled_from(NAMES)
plain_names = st.sampled_from([name for name in NAMES if name.isidentifier()])
expressions = st.one_of(
    places,
    st.sampled_from(
        [
            "torch.nn.Linear(2, 2)",
            "DataLoader(range(8))",
            "Net()",
            "make(model)",
            "None",
            "[model, optimizer]",
            "{'m': model}['m']",
            "len(loader)",
            "lambda: model",
            "[x for x in loader]",
            "iter(loader)",
            "model if data else net",
            "(walrus := model)",
            "accelerator.unwrap_model(model)",
            "model.eval()",
            "optimizer.step",
        ]
    ),
    places.map(lambda place: f"AdamW({place}.parameters(), lr=1e-3)"),
    places.map(lambda place: f"torch.optim.lr_scheduler.StepLR({place}, 1)"),
    places.map(lambda place: f"{place}(batch)"),
)
arguments = st.lists(
    st.one_of(places, st.sampled_from(["*things", "[model, opt]", "None", "iter(loader)"])), max_size=4
)
receivers = st.sampled_from(["accelerator", "self.accelerator", "Accelerator()", "other"])
methods = st.sampled_from(["prepare", "prepare", "prepare", "prepare_model", "prepare_optimizer", "unwrap_model"])


@st.composite
def prepare_calls(draw: st.DrawFn) -> str:
    listed = draw(arguments)
    separator = draw(st.sampled_from([", ", ",\n        ", ", # why\n        "]))
    keywords = draw(st.sampled_from(["", "", "device_placement=[True, False]"]))
    return f"{draw(receivers)}.{draw(methods)}({separator.join([*listed, keywords] if keywords else listed)})"


@st.composite
def targets(draw: st.DrawFn) -> str:
    listed = draw(st.lists(places, min_size=1, max_size=4))
    form = draw(st.sampled_from(["{}", "({})", "[{}]", "first, *{}", "{},"]))
    return form.format(", ".join(listed))


simple_statements = st.one_of(
    st.tuples(places, expressions).map(" = ".join),
    st.tuples(places, places, expressions).map(" = ".join),
    st.tuples(targets(), prepare_calls()).map(" = ".join),
    prepare_calls(),
    prepare_calls().map("return {}".format),
    st.tuples(targets(), arguments.map(lambda names: ", ".join(names) or "()")).map(" = ".join),
    places.map("{}.step()".format),
    places.map("{}.zero_grad()".format),
    places.map("loss = {}(batch).sum()".format),
    st.sampled_from(
        [
            "loss.backward()",
            "accelerator.backward(loss)",
            "loss.backward(retain_graph=True); print(loss)",
            "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
            "del model",
            "global opt",
            "pass",
            "break",
            "raise ValueError(model)",
            "things.append(model)",
            "exec('model = None')",
            "setattr(self, 'model', net)",
            "model: torch.nn.Module = net",
            "count += 1",
            "import torch as model",
            "train(model, optimizer, loader)",
            "yield model",
            "await model",
        ]
    ),
)


def block(header: str, body: list[str]) -> str:
    return "\n".join([header, *("    " + line for statement in body for line in statement.split("\n"))])


def compound(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(body, min_size=1, max_size=4)
    one = st.one_of(
        places.map("for batch in {}:".format),
        places.map("for index, batch in enumerate({}):".format),
        places.map("if {}:".format),
        places.map("with accelerator.accumulate({}):".format),
        places.map("while {}:".format),
        plain_names.map("for {} in range(3):".format),
        plain_names.map("with open('file') as {}:".format),
        st.sampled_from(
            [
                "with torch.no_grad():",
                "def train(model, optimizer, *things, data=loader, **rest):",
                "def make(net):",
                "async def main(self):",
                "class Net(torch.nn.Module):",
                "class Trainer:",
                "def __init__(self, model, accelerator=None):",
                "@torch.no_grad()\ndef evaluate(model):",
                "if accelerator.is_main_process:",
                "for epoch in range(3):",
            ]
        ),
    )
    two = st.sampled_from(
        [
            ("if model:", "else:"),
            ("if net is None:", "elif data:"),
            ("for batch in loader:", "else:"),
            ("try:", "except ValueError as error:"),
            ("try:", "finally:"),
            ("while True:", "else:"),
        ]
    )
    return st.one_of(
        st.tuples(one, bodies).map(lambda drawn: block(*drawn)),
        st.tuples(two, bodies, bodies).map(
            lambda drawn: f"{block(drawn[0][0], drawn[1])}\n{block(drawn[0][1], drawn[2])}"
        ),
        st.tuples(places, bodies).map(
            lambda drawn: f"match {drawn[0]}:\n" + indented(block("case [first, *rest]:", drawn[1]))
        ),
    )


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


programs = st.lists(
    st.recursive(simple_statements, compound, max_leaves=12),
    min_size=1,
    max_size=8,
).map(lambda statements: HEADER + "\n".join(statements) + "\n")


HEADINGS = {
    "": ["", "", ""],
    "def main(args):\n": ["    ", "", ""],
    "class Trainer:\n    def __init__(self, data):\n": ["        ", "    def fit(self):\n", "self."],
}
CREATIONS = {
    "model": ["torch.nn.Linear(2, 2)", "AutoModel.from_pretrained('tiny')"],
    "optimizer": ["AdamW({model}.parameters(), lr=1e-3)", "AdamW([p for p in {model}.parameters()])"],
    "loader": ["DataLoader(range(64), batch_size=8)"],
    "scheduler": ["torch.optim.lr_scheduler.StepLR({optimizer}, 10)"],
}


@st.composite
def training_scripts(draw: st.DrawFn) -> str:
    """Return a script that builds, prepares and trains as people do, with mistakes here and there."""
    heading = draw(st.sampled_from(sorted(HEADINGS)))
    indent, second, owner = HEADINGS[heading]
    places = {role: owner + role for role in CREATIONS}
    accelerator = f"{owner}accelerator"
    build = [f"{places[role]} = {draw(st.sampled_from(CREATIONS[role])).format(**places)}" for role in CREATIONS]
    aliases = {role: draw(st.sampled_from([places[role]] * 3 + [f"my_{role}"])) for role in CREATIONS}
    prepared = draw(st.lists(st.sampled_from(sorted(CREATIONS)), min_size=1, max_size=4, unique=True))
    taken = draw(st.one_of(st.just(prepared), st.permutations(prepared), st.just(prepared[1:])))
    names = [draw(st.sampled_from([places[role]] * 3 + [f"{owner}prepared_{role}"])) for role in taken]
    call = f"{accelerator}.prepare({', '.join(places[role] for role in prepared)})"
    if draw(st.booleans()):
        call = call.replace("(", f"(\n{indent}    ").replace(", ", f",\n{indent}    ").replace(")", f",\n{indent})")
    build.insert(draw(st.integers(1, len(build))), f"{', '.join(names)} = {call}" if names else call)
    build += [f"{alias} = {places[role]}" for role, alias in aliases.items() if alias != places[role] and not owner]
    used = {role: draw(st.sampled_from([places[role], places[role], *names])) for role in CREATIONS}
    steps = [
        f"loss = {used['model']}(batch).mean()",
        draw(st.sampled_from([f"{accelerator}.backward(loss)", "loss.backward()"])),
        f"torch.nn.utils.clip_grad_norm_({used['model']}.parameters(), 1.0)",
        f"{used['optimizer']}.step()",
        f"{used['scheduler']}.step()",
        f"{used['optimizer']}.zero_grad()",
    ]
    kept = [step for step in steps if draw(st.integers(0, 5))] or steps
    inner = indent + ("    " if draw(st.booleans()) else "\t")
    loop = [f"{indent}for batch in {used['loader']}:", *(inner + step for step in kept)]
    lines = [f"{indent}{line}" for line in [f"{accelerator} = Accelerator()", *build]]
    return HEADER + heading + "\n".join(lines) + "\n" + second + "\n".join(loop) + "\n"


def parses(text: str) -> bool:
    """Return whether ``text`` has the syntax of Python, which takes ``return`` at module level for none."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@given(st.one_of(programs, training_scripts()))
def test_generated_programs_never_crash(text: str) -> None:
    assume(parses(text))
    check_source(text)
    for settings in (Settings(), UNSAFE):
        fixed = fix(text, settings)
        assert parses(fixed)
        assert fix(fixed, settings) == fixed, "a second fix changes nothing"


# What takes the words away that make a file worth a parse.
WITHOUT: list[dict[str, str]] = [
    {"accelerat": "taelecca"},
    {"prepare": "eraperp", "Accelerator": "Celerator"},
    {".prepare": ".prepared_", "Accelerator": "Celerator"},
]


@given(st.one_of(programs, training_scripts()), st.sampled_from(WITHOUT))
def test_what_is_not_parsed_has_no_finding(text: str, words: dict[str, str]) -> None:
    """The searches for bytes that spare most files a parse lose nothing."""
    for word, other in words.items():
        text = text.replace(word, other)
    assume(parses(text))
    assert not is_candidate(text.encode())
    assert check_document(module_from_text(text, "script.py"), UNSAFE).findings == ()


@given(scripts)
def test_fix_is_idempotent(text: str) -> None:
    for settings in (Settings(), UNSAFE):
        fixed = fix(text, settings)
        assert fix(fixed, settings) == fixed


def test_generated_programs_are_worth_it() -> None:
    """The strategies would be worth little if what they make did not parse, or had no mistakes to find."""
    valid, mistaken = [], set()

    @given(programs, training_scripts())
    def look(program: str, script: str) -> None:
        valid.append(parses(program) and parses(script))
        mistaken.update(rules_of(script) if parses(script) else ())

    look()
    assert sum(valid) > len(valid) / 2
    assert len(mistaken) >= 4, mistaken
