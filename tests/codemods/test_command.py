"""The tool as a codemod of LibCST."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

from prepare_fix import Settings, fix_source
from prepare_fix.codemods.command import PrepareFix

GOLDEN = Path(__file__).parent.parent / "golden"
SAFE = GOLDEN / "pf201_permuted_targets" / "backslash_before_the_call"
UNSAFE = GOLDEN / "pf105_split_prepare" / "model_first_rest_later"


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@pytest.mark.parametrize(("folder", "unsafe"), [(SAFE, False), (SAFE, True), (UNSAFE, False), (UNSAFE, True)])
def test_module_is_what_a_fix_gives(folder: Path, unsafe: bool) -> None:
    text = read(folder / "before.py")
    context = CodemodContext(filename="train.py")
    fixed = PrepareFix(context, unsafe_fixes=unsafe).transform_module(cst.parse_module(text.encode("utf-8")))
    expected = fix_source(text, settings=Settings(unsafe_fixes=unsafe))
    assert fixed.code == expected.text
    assert len(context.warnings) == len(expected.remaining)


def test_its_option() -> None:
    parser = argparse.ArgumentParser()
    PrepareFix.add_args(parser)
    assert vars(parser.parse_args([])) == {"unsafe_fixes": False}
    assert vars(parser.parse_args(["--unsafe-fixes"])) == {"unsafe_fixes": True}
    assert "also make the fixes marked unsafe" in parser.format_help()


def test_module_without_a_fix_stays_the_same() -> None:
    tree = cst.parse_module("x = 1\n")
    assert PrepareFix(CodemodContext()).transform_module(tree).deep_equals(tree)


def test_encoding_and_line_ends_stay() -> None:
    text = "# -*- coding: latin-1 -*-\r\n# é\r\n" + read(SAFE / "before.py").replace("\n", "\r\n")
    fixed = PrepareFix(CodemodContext()).transform_module(cst.parse_module(text.encode("latin-1")))
    assert fixed.bytes == fix_source(text).text.encode("latin-1") != text.encode("latin-1")


@pytest.mark.parametrize(("folder", "options"), [(SAFE, []), (UNSAFE, ["--unsafe-fixes"])])
def test_libcst_runs_it(tmp_path: Path, folder: Path, options: list[str]) -> None:
    script = tmp_path / "train.py"
    script.write_bytes((folder / "before.py").read_bytes())
    command = ["codemod", "--no-format", "-x", "prepare_fix.codemods.command.PrepareFix", "--jobs", "1"]
    ran = subprocess.run(
        [sys.executable, "-m", "libcst.tool", *command, *options, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    name = "after_unsafe.py" if options else "after.py"
    assert script.read_bytes() == (folder / name).read_bytes()
