"""Damaged scripts: bytes and lines of real ones changed at random. Never a traceback, and never a file that is worse.

As files, and put into notebooks among lines that only IPython understands, and into Markdown.

``pytest tests/test_fuzz.py --fuzz-rounds 2000`` looks for a long time.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from documents import in_markdown, in_notebook, split_statements

from prepare_fix.cli import main
from prepare_fix.findings import FileResult
from prepare_fix.pipeline import do_bytes, fix_document
from prepare_fix.settings import Settings

GOLDEN = Path(__file__).parent / "golden"
SCRIPTS = [path.read_bytes() for path in sorted(GOLDEN.glob("pf*/*/before.py"))]
PIECES = [
    b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\x0c", b"\t", b"\\\n", b"'''", b'"', b"(", b")", b"[",
    b"]", b"{", b":", b",", b"#", b"=", b"*", b"**", b"@", b"~", b"\n\n", b"\xe2\x80\xa8", b"\xc3\xa9",
    b"\xf0\x9d\x90\xa6", b"\x1a", b"accelerator.prepare(", b"accelerator = ", b"import *\n", b"model, ", b"(yield)",
    b"await x\n", b"async ", b"f'{model!r:>{optimizer}}'", b"1_0j", b"\xc2\x85", b"# -*- coding: latin-1 -*-\n",
    b"# coding: nonsense\n",
]  # fmt: skip
STATEMENTS = [
    b"pass", b"del model", b"global model, optimizer", b"lambda: 0", b"match model:\n    case _: pass", b"return",
    b"break", b"model = accelerator.prepare(model)", b"accelerator.prepare(model, optimizer)", b"x = y = model",
    b"assert model", b"model, *rest = accelerator.prepare(*[model, optimizer])", b"accelerator = model",
    b"with model as optimizer: pass", b"import model", b"class model: pass", b"def optimizer(model): return model",
    b"try: model()\nexcept: raise", b"for model in model: optimizer.step()", b"while model: break",
    b"model[0], model.x = model, model", b"exec('model')", b"model = [model for model in (model := [model])]",
    b"if model: model = None\nelse: optimizer = model", b"setattr(model, 'model', model)", b"print(f'{model=}')",
    b"(model)", b"model: object = model", b"locals()", b"",
]  # fmt: skip
WORDS = [b"model", b"optimizer", b"accelerator", b"prepare", b"loader", b"scheduler", b"loss", b"self", b"_", b"x"]
IPYTHON = [
    "%matplotlib inline", "!pip install \\\n  x", "?model", "files = !ls", "model?", "!ls {model}", "%time model()",
    "%cd x", "%%bash\nls", "%%capture out\nmodel", "%%time\nx = 1", "",
]  # fmt: skip
IPYTHON_LINE = re.compile(r"\s*[!%?]")
_WORD = re.compile(rb"[A-Za-z_]\w*")


def damage(script: bytes, chance: random.Random) -> bytes:
    """Return the script with one to four changes: of bytes, or gentler ones of words and whole lines."""
    for _ in range(chance.choice([1, 1, 2, 4])):
        script = chance.choice([change_bytes, change_words, change_lines, change_lines])(script, chance)
    return script


def change_bytes(script: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(script) + 1)
    end = start + chance.choice([0, 0, 1, 2, 5, 30])
    noise = bytes(chance.randrange(256) for _ in range(chance.randint(1, 3)))
    return script[:start] + chance.choice([noise, chance.choice(PIECES), chance.choice(PIECES)]) + script[end:]


def change_words(script: bytes, chance: random.Random) -> bytes:
    words = list(_WORD.finditer(script))
    if not words:
        return script
    word = chance.choice(words)
    new = chance.choice([*WORDS, chance.choice(words).group()])
    return script[: word.start()] + new + script[word.end() :]


def change_lines(script: bytes, chance: random.Random) -> bytes:
    lines = script.split(b"\n")
    one = chance.randrange(len(lines))
    blank = lines[one][: len(lines[one]) - len(lines[one].lstrip())]
    same = [index for index, line in enumerate(lines) if line.startswith(blank) and line.lstrip() == line[len(blank) :]]
    other = chance.choice(same)
    statement = b"".join(blank + line + b"\n" for line in chance.choice(STATEMENTS).split(b"\n"))[:-1]
    changes: list[Callable[[], object]] = [
        lambda: lines.insert(one, statement),
        lambda: lines.insert(one, statement),
        lambda: lines.insert(one, lines[other]),
        lambda: lines.insert(one, lines.pop(other)),
        lambda: lines.pop(one),
        lambda: lines.__setitem__(one, blank + b"if model:\n    " + lines[one]),
        lambda: lines.__setitem__(one, chance.choice([lines[one][1:], b" " + lines[one]])),
        lambda: lines.__setitem__(slice(one, one), [blank + b"def f(model):", blank + b"    return model", b""]),
    ]
    chance.choice(changes)()
    return b"\n".join(lines)


def parses(raw: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(raw)
    except (SyntaxError, ValueError):
        return False
    return True


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main([*arguments, "--jobs", "1", "--isolated"])
    out, err = capfd.readouterr()
    assert status in (0, 1, 2), (status, err)
    assert "Traceback" not in out + err
    assert "prepare-fix failed" not in err, err
    assert "could not be checked" not in err, err
    assert "could not write the repair" not in out, out
    return status, out


def test_damaged_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    rounds = request.config.getoption("--fuzz-rounds")
    seed = request.config.getoption("--fuzz-seed") or random.randrange(10**9)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.py"
    for number in range(rounds):
        chance = random.Random(f"{seed}-{number}")
        before = damage(chance.choice(SCRIPTS), chance)
        file.write_bytes(before)
        try:
            checked, _ = run(capfd, "check")
            diffed, patch = run(capfd, "diff", "--unsafe-fixes")
            assert file.read_bytes() == before
            fixed, _ = run(capfd, "fix", "--unsafe-fixes", "-v")
            after = file.read_bytes()
            assert (after != before) is (patch != "")
            assert after == before or parses(after), "a fix broke the script"
            assert (checked == 2) is (fixed == 2) is (diffed == 2)
            assert run(capfd, "fix", "--unsafe-fixes")[0] == fixed
            assert file.read_bytes() == after, "a second fix changes nothing"
        except AssertionError as error:
            kept = Path(os.environ.get("FUZZ_KEPT", tmp_path)) / f"fuzz-{seed}-{number}.py"
            kept.write_bytes(before)
            raise AssertionError(f"seed {seed}, round {number}, script kept in {kept}") from error


def build_notebook(code: str, chance: random.Random) -> bytes:
    """Return ``code`` cut into cells, some of them with a line of IPython in front, and some cells of that alone."""
    cells: list[str] = []
    for cell in split_statements(code) if parses(code.encode()) else [code]:
        added = chance.choice(IPYTHON)
        fate = chance.random()
        cells += [added, cell] if fate < 0.2 else [f"{added}\n{cell}"] if fate < 0.3 else [cell]
    return in_notebook(cells).encode()


def fix(raw: bytes, path: str) -> FileResult:
    result = do_bytes(raw, path, Settings(unsafe_fixes=True), fix_document)
    assert result.error is None or result.error.kind != "internal", result.notes
    return result


def check_notebook(before: bytes, after: bytes) -> None:
    """Assert that nothing but the source of code cells changed, and no line of IPython in it."""
    old, new = json.loads(before), json.loads(after)
    for cell, other in zip(old["cells"], new["cells"], strict=True):
        lines, others = ("".join(each.pop("source", "")).split("\n") for each in (cell, other))
        assert {line for line in lines if IPYTHON_LINE.match(line)} <= set(others)
    assert old == new


def check_markdown(before: bytes, after: bytes) -> None:
    """Assert that the page around the blocks is the same."""
    old, new = (raw.decode().split("```") for raw in (before, after))
    assert old[::2] == new[::2]


def test_damaged_scripts_in_documents(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = request.config.getoption("--fuzz-rounds")
    seed = request.config.getoption("--fuzz-seed") or random.randrange(10**9)
    for number in range(rounds):
        chance = random.Random(f"{seed}-{number}")
        code = damage(chance.choice(SCRIPTS), chance).decode("utf-8", "ignore").replace("\r", "")
        is_notebook = chance.random() < 0.7
        name = "a.ipynb" if is_notebook else "a.md"
        before = build_notebook(code, chance) if is_notebook else in_markdown(code).encode()
        if is_notebook and chance.random() < 0.2:
            before = change_bytes(before, chance)
        try:
            after = fix(before, name).after
            if after is not None:
                (check_notebook if is_notebook else check_markdown)(before, after)
                assert fix(after, name).after is None, "a second fix changes nothing"
        except Exception as error:
            kept = Path(os.environ.get("FUZZ_KEPT", tmp_path)) / f"fuzz-{seed}-{number}-{name}"
            kept.write_bytes(before)
            raise AssertionError(f"seed {seed}, round {number}, document kept in {kept}") from error
