"""Settings from files and options: which file, what is refused, what wins, and how the program tells."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import fakes
import pytest
from program import Program

from prepare_fix.configuration import KEYS, Configuration, read_configuration
from prepare_fix.errors import SettingsError
from prepare_fix.settings import Settings
from prepare_fix.sources.globs import Glob

BAD = f"{fakes.NEEDLES}x = safe, unsafe\ny = stays\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(config: str | None = None, is_isolated: bool = False, **options: object) -> Configuration:
    return read_configuration(config, is_isolated, {name.replace("_", "-"): value for name, value in options.items()})


# --- which file ----------------------------------------------------------------------------------------------------

OWN = 'ignore = ["PF1"]\n'
PROJECT = '[tool.prepare-fix]\nignore = ["PF2"]\n'
NEAREST = [
    # files, the folder that the run starts in, what is ignored
    ({}, ".", []),
    ({"prepare-fix.toml": OWN}, ".", ["PF1"]),
    ({"pyproject.toml": PROJECT}, ".", ["PF2"]),
    ({"prepare-fix.toml": OWN, "pyproject.toml": PROJECT}, ".", ["PF1"]),
    ({"prepare-fix.toml": OWN}, "d/e", ["PF1"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": PROJECT}, "d/e", ["PF2"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": "[tool.black]\n"}, "d/e", ["PF1"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": "no TOML of anybody's business"}, "d/e", ["PF1"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": "[project]\nname = 'prepare-fix'\n"}, "d/e", ["PF1"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": "tool = 'prepare-fix'\n"}, "d/e", ["PF1"]),
    ({"prepare-fix.toml": OWN, "d/pyproject.toml": "[tool.prepare-fix]\n"}, "d/e", []),
    ({"prepare-fix.toml": OWN, "d/prepare-fix.toml": ""}, "d/e", []),
    ({"prepare-fix.toml": "\ufeff" + OWN}, ".", ["PF1"]),
]


@pytest.mark.parametrize(("files", "start", "ignored"), NEAREST)
def test_the_nearest_file_counts(
    tree: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], start: str, ignored: list[str]
) -> None:
    (tree / "d" / "e").mkdir(parents=True)
    for name, content in files.items():
        (tree / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tree / start)
    assert read().get("ignore") == ignored
    assert read(is_isolated=True).get("ignore") == []


def test_a_folder_is_no_settings_file(tree: Path) -> None:
    (tree / "prepare-fix.toml").mkdir()
    assert read().settings() == Settings(include=tuple(Glob(glob.pattern) for glob in Settings().include))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_nobody_waits_for_a_pipe(tree: Path) -> None:
    # Reading it would wait for ever.
    os.mkfifo(tree / "prepare-fix.toml")
    assert len(read_configuration(None, False, {}).layers) == 2


def test_a_file_can_be_named(tree: Path) -> None:
    (tree / "prepare-fix.toml").write_text(OWN)
    (tree / "d").mkdir()
    (tree / "d" / "any.toml").write_text('ignore = ["PF3"]\nexclude = ["old"]\n')
    (tree / "d" / "pyproject.toml").write_text(PROJECT)
    assert read("d/any.toml").get("ignore") == ["PF3"]
    assert read("d/pyproject.toml").get("ignore") == ["PF2"]
    assert read("d/any.toml").settings().exclude == (Glob("old", str(tree)),), "of the folder that the run starts in"


# --- what is refused -----------------------------------------------------------------------------------------------

REFUSED = [
    ("exclud = []", "prepare-fix.toml: there is no setting 'exclud', did you mean 'exclude'?"),
    ("extend_select = []", "prepare-fix.toml: there is no setting 'extend_select', did you mean 'extend-select'?"),
    ("zzz = 1", f"prepare-fix.toml: there is no setting 'zzz' (settings: {', '.join(KEYS)})"),
    ("select = 'PF3'", "prepare-fix.toml: select: must be a list of strings"),
    ("select = [3]", "prepare-fix.toml: select: must be a list of strings"),
    ("unsafe-fixes = 1", "prepare-fix.toml: unsafe-fixes: must be true or false"),
    ("jobs = true", "prepare-fix.toml: jobs: must be a number of processes, or 0"),
    ("jobs = -1", "prepare-fix.toml: jobs: must be a number of processes, or 0"),
    ("baseline = []", "prepare-fix.toml: baseline: must be the path of a file"),
    ("per-file-ignores = []", "prepare-fix.toml: per-file-ignores: must be a table from globs to lists of codes"),
    (
        "[per-file-ignores]\na = 'PF3'",
        "prepare-fix.toml: per-file-ignores: must be a table from globs to lists of codes",
    ),
    ("exclude = ['[a']", "prepare-fix.toml: exclude: '[a' is no pattern"),
    ("[per-file-ignores]\n'!' = ['PF3']", "prepare-fix.toml: per-file-ignores: '!' is no pattern"),
    (
        "[tool.prepare-fix]\nselect = []",
        "prepare-fix.toml: there is no setting 'tool' (settings: " + ", ".join(KEYS) + ")",
    ),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_what_is_no_setting_is_named(tree: Path, content: str, message: str) -> None:
    (tree / "prepare-fix.toml").write_text(content)
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}$"):
        read()


BROKEN = [
    ("prepare-fix.toml", b"select = [", "prepare-fix.toml: no valid TOML: "),
    ("prepare-fix.toml", b"select = '\xff'", "prepare-fix.toml: no valid TOML: "),
    ("pyproject.toml", b"[tool.prepare-fix]\nselect = [", "pyproject.toml: no valid TOML: "),
    ("pyproject.toml", b"tool.prepare-fix = 1", "pyproject.toml: tool.prepare-fix is no table"),
    ("pyproject.toml", b"[tool.prepare_fix]", r"pyproject.toml: the table is called \[tool.prepare-fix\], not"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_a_broken_file_is_named(tree: Path, name: str, content: bytes, message: str) -> None:
    (tree / name).write_bytes(content)
    with pytest.raises(SettingsError, match=f"^{message}"):
        read()


def test_a_file_that_can_not_be_used_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"^missing\.toml: no such file"):
        read("missing.toml")
    (tree / "pyproject.toml").write_text("[tool.black]\n")
    with pytest.raises(SettingsError, match=r"^pyproject\.toml: has no table \[tool\.prepare-fix\]"):
        read("pyproject.toml")
    (tree / "d").mkdir()
    (tree / "prepare-fix.toml").symlink_to("prepare-fix.toml")
    monkeypatch.chdir(tree / "d")
    with pytest.raises(SettingsError, match=r"prepare-fix\.toml: Too many levels"):
        read()


CODES = [
    ('select = ["PF9"]', "prepare-fix.toml: select: no rule has a code that begins with 'PF9'"),
    ('ignore = ["pf3"]', "prepare-fix.toml: ignore: no rule has a code that begins with 'pf3', did you mean 'PF3'?"),
    (
        'ignore = ["pf301"]',
        "prepare-fix.toml: ignore: no rule has a code that begins with 'pf301', did you mean 'PF301'?",
    ),
    (
        '[per-file-ignores]\n"a*" = ["PF31"]',
        "prepare-fix.toml: per-file-ignores: a*: no rule has a code that begins with ",
    ),
]


@pytest.mark.parametrize(("content", "message"), CODES)
def test_an_unknown_code_is_named(tree: Path, content: str, message: str) -> None:
    (tree / "prepare-fix.toml").write_text(content)
    configuration = read()
    assert configuration.names_codes()
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}"):
        configuration.check_codes(["PF101", "PF301"])
    with pytest.raises(SettingsError, match=r"^extend-select: .*'X'"):
        read(is_isolated=True, extend_select=["X"]).check_codes(["PF101"])
    read(is_isolated=True, select=["PF1", "ALL"]).check_codes(["PF101"])


# --- what wins -----------------------------------------------------------------------------------------------------


def test_options_stand_above_the_file(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "d").mkdir()
    (tree / "prepare-fix.toml").write_text(
        'select = ["PF1"]\nextend-select = ["PF2"]\nunsafe-fixes = true\nexclude = ["a"]\nextend-exclude = ["b"]\n'
        'baseline = "old.json"\n[per-file-ignores]\n"tests/" = ["PF3"]\n'
    )
    monkeypatch.chdir(tree / "d")
    configuration = read(select=["PF3"], extend_select=["PF4"], extend_exclude=["c"], unsafe_fixes=False)
    root, here = str(tree), str(tree / "d")
    settings = configuration.settings()
    assert (settings.select, settings.extend_select, settings.unsafe_fixes) == (("PF3",), ("PF2", "PF4"), False)
    assert settings.exclude == (Glob("a", root), Glob("b", root), Glob("c", here))
    assert settings.per_file_ignores == ((Glob("tests/", root), ("PF3",)),)
    assert configuration.path("baseline") == str(tree / "old.json")
    origins = {key: configuration.origin(key) for key in ("select", "extend-select", "exclude", "include")}
    name = str(tree / "prepare-fix.toml")
    assert origins == {
        "select": "command line",
        "extend-select": f"{name}, command line",
        "exclude": name,
        "include": "default",
    }


SELECTED = [
    (Settings(), {"PF101", "PF301", "PF302"}),
    (Settings(select=("PF3",)), {"PF301", "PF302"}),
    (Settings(ignore=("PF3",)), {"PF101"}),
    (Settings(select=("PF301",), ignore=("PF3",)), {"PF301"}),
    (Settings(select=("PF3",), ignore=("PF301",)), {"PF302"}),
    (Settings(select=("PF3",), ignore=("PF3",)), set()),
    (Settings(select=("PF1",), extend_select=("PF302",)), {"PF101", "PF302"}),
    (Settings(select=("ALL",), ignore=("ALL",)), set()),
    (Settings(select=("PF3",), ignore=("ALL",)), {"PF301", "PF302"}),
    (Settings(select=("PF301",), silenced=("PF3",)), set()),
    (Settings(silenced=("ALL",)), set()),
]


@pytest.mark.parametrize(("settings", "selected"), SELECTED)
def test_the_longest_prefix_wins(settings: Settings, selected: set[str]) -> None:
    assert {code for code in ("PF101", "PF301", "PF302") if settings.is_selected(code)} == selected


def test_per_file_ignores(tree: Path) -> None:
    ignores = ((Glob("tests/", str(tree)), ("PF3",)), (Glob("*_old.py", str(tree)), ("PF1", "PF2")))
    settings = Settings(select=("PF301", "PF1"), per_file_ignores=ignores)

    def selected(path: str) -> set[str]:
        own = settings.for_file(path)
        return {code for code in ("PF101", "PF301") if own.is_selected(code)}

    assert selected("a.py") == {"PF101", "PF301"}
    assert selected("tests/d/a.py") == {"PF101"}
    assert selected(str(tree / "tests" / "a_old.py")) == set()
    assert selected("<stdin>") == {"PF101", "PF301"}


# --- the program ---------------------------------------------------------------------------------------------------


def test_settings_of_a_file_are_obeyed(program: Program) -> None:
    Path("a.py").write_text(BAD)
    Path("old").mkdir()
    Path("old/b.py").write_text(BAD)
    Path("prepare-fix.toml").write_text('exclude = ["old/"]\nunsafe-fixes = true\n')
    assert "in 1 file checked: 2 fixable" in program("check").out
    assert "in 2 files checked: 2 fixable" in program("check", "--isolated").out
    assert "in 2 files checked" in program("check", "--exclude", "none").out
    Path("prepare-fix.toml").write_text('[per-file-ignores]\n"old/" = ["PF3"]\n')
    assert [line.split(":")[0] for line in program("check", "--output-format", "concise", "-q").out.splitlines()] == [
        "a.py"
    ] * 3
    assert program("check", "-q", "old/b.py").status == 0, "also where a file is named"
    assert program("check", "-q", "-", "--stdin-filename", "old/c.py", stdin=BAD.encode()).status == 0
    assert program("fix", "old").status == 0
    assert Path("old/b.py").read_text() == BAD


@pytest.mark.parametrize("form", ["old", "old/", "/old", "./old", "./old/b.py", "{here}/old", "{here}/old/*.py"])
def test_a_glob_can_be_a_path(program: Program, tmp_path: Path, form: str) -> None:
    Path("old").mkdir()
    Path("a.py").write_text(BAD)
    Path("old/b.py").write_text(BAD)
    glob = form.format(here=tmp_path)
    assert "in 1 file checked" in program("check", "--exclude", glob).out
    Path("prepare-fix.toml").write_text(f'[per-file-ignores]\n"{glob}" = ["PF3"]\n')
    assert "Found 3 findings in 2 files" in program("check").out


def test_a_path_can_be_brought_back(program: Program) -> None:
    Path("old").mkdir()
    Path("old/b.py").write_text(BAD)
    assert "in 1 file checked" in program("check", "--exclude", "b.py,!./old/b.py").out


def test_wrong_settings_are_wrong_usage(program: Program) -> None:
    Path("prepare-fix.toml").write_text("exclud = []\n")
    done = program("check")
    message = "prepare-fix: error: prepare-fix.toml: there is no setting 'exclud', did you mean 'exclude'?\n"
    assert (done.status, done.out, done.err) == (2, "", message)
    assert program("fix", "--isolated").status == 0
    assert program("check", "--isolated", "--config", "prepare-fix.toml").status == 2
    Path("prepare-fix.toml").write_text('select = ["PF9"]\n')
    assert program("check").err == (
        "prepare-fix: error: prepare-fix.toml: select: no rule has a code that begins with 'PF9'\n"
    )
    assert program("check", "--isolated", "--exclude", "[a").err == "prepare-fix: error: exclude: '[a' is no pattern\n"


def test_config_tells_what_is_in_force_and_where_it_comes_from(program: Program) -> None:
    Path("pyproject.toml").write_text(
        '[tool.prepare-fix]\nselect = ["PF3"]\n[tool.prepare-fix.per-file-ignores]\n"a b/\\"x\\"" = ["PF301"]\n'
    )
    done = program("config", "--ignore", "PF1,PF301", "--unsafe-fixes", "--extend-exclude", "old")
    assert done.status == 0
    told = dict(re.split(r" +# ", line) for line in done.out.splitlines())
    assert told == {
        'select = ["PF3"]': "pyproject.toml",
        "extend-select = []": "default",
        'ignore = ["PF1", "PF301"]': "command line",
        'per-file-ignores = {"a b/\\"x\\"" = ["PF301"]}': "pyproject.toml",
        "unsafe-fixes = true": "command line",
        'include = ["*.py", "*.ipynb"]': "default",
        "extend-include = []": "default",
        "exclude = []": "default",
        'extend-exclude = ["old"]': "command line",
        'baseline = ""': "default",
        "jobs = 0": "default",
    }


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the standard library reads no TOML")
def test_what_config_prints_can_be_a_settings_file(program: Program, tmp_path: Path) -> None:
    Path("prepare-fix.toml").write_text('select = ["PF3"]\n[per-file-ignores]\n"a*" = ["PF301", "PF1"]\n')
    printed = program("config").out
    Path("prepare-fix.toml").write_text(printed)
    assert [line.split("#")[0].strip() for line in program("config").out.splitlines()] == [
        line.split("#")[0].strip() for line in printed.splitlines()
    ]
