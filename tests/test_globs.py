"""Patterns mean what they mean to git: tables of what that is, and git itself as the judge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepare_fix.settings import DEFAULT_INCLUDE
from prepare_fix.sources.discover import find_files
from prepare_fix.sources.globs import Glob, Globs, Patterns, find_suffixes, is_pattern

FITS = [
    # pattern, paths that it takes, paths that it does not
    ("*.py", ["a.py", "d/a.py", ".py", "a.py/"], ["a.pyi", "py"]),
    ("a", ["a", "a/", "d/a"], ["ab", "a.py", "a/b"]),
    ("a/", ["a/", "d/a/"], ["a", "d/a"]),
    ("/a", ["a", "a/"], ["d/a"]),
    ("d/a", ["d/a"], ["a", "e/d/a"]),
    ("d/*", ["d/a", "d/e/"], ["d/e/a", "d", "d/"]),
    ("**/a", ["a", "d/a", "d/e/a"], ["ba"]),
    ("d/**", ["d/a", "d/e/a"], ["d", "d/"]),
    ("d/**/a", ["d/a", "d/e/a", "d/e/f/a"], ["d/ea"]),
    ("a**b", ["ab", "axxb"], ["a/b"]),
    ("*ab*c", ["abc", "aabxc", "d/xababcc"], ["acb", "ab/c"]),
    ("*a/*b*/?*c", ["a/b/ac", "xa/bab/bcc"], ["a/b/c", "ab/a/xc"]),
    ("*a*/**/*b*c", ["a/bc", "xax/d/e/bbxc"], ["a/cb", "ax"]),
    ("?.py", ["a.py", "d/a.py"], ["ab.py", ".py"]),
    ("?.py", [], ["\N{LATIN SMALL LETTER E WITH ACUTE}.py"]),  # two bytes
    ("[ab].py", ["a.py", "b.py"], ["c.py"]),
    ("[!ab].py", ["c.py"], ["a.py"]),
    ("[^ab].py", ["c.py"], ["a.py"]),
    ("[a-c].py", ["b.py"], ["d.py", "-.py"]),
    ("[]a].py", ["].py", "a.py"], ["b.py"]),
    ("[a-].py", ["a.py", "-.py"], ["b.py"]),
    ("[[:digit:]x].py", ["1.py", "x.py"], ["d.py", ":.py"]),
    ("[z-a].py", ["z.py"], ["a.py", "m.py"]),
    ("\\*.py", ["*.py"], ["a.py"]),
    ("\\!a", ["!a"], ["a"]),
    ("\\#a", ["#a"], ["a"]),
    ("a  ", ["a"], ["a  "]),
    ("a\\ ", ["a "], ["a"]),
    ("#a", [], ["#a", "a"]),
    ("", [], ["a"]),
    ("[a", [], ["[a", "a"]),
    ("a\\", [], ["a", "a\\"]),
    ("[[:nonsense:]]", [], ["n", ":"]),
    ("/", [], ["a"]),
    ("\N{SNOWMAN}*", ["\N{SNOWMAN}.py"], ["a.py"]),
]


@pytest.mark.parametrize(("pattern", "taken", "left"), FITS)
def test_patterns(pattern: str, taken: list[str], left: list[str]) -> None:
    patterns = Patterns([pattern])
    assert [path for path in taken if patterns.verdict(path) is not True] == []
    assert [path for path in left if patterns.verdict(path) is not None] == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python tries all that a star could take")
def test_many_stars_take_no_longer() -> None:
    # Tried in all ways, this would take for ever.
    assert Patterns([f"{'*a' * 40}b"]).verdict("a" * 200) is None


def test_the_last_pattern_that_fits_decides() -> None:
    patterns = Patterns(["*.py", "!a.py", "/a.py"])
    assert [patterns.verdict(path) for path in ("b.py", "d/a.py", "a.py", "a.txt")] == [True, False, True, None]


@pytest.mark.parametrize("text", ["", "#", "!", "/", "a\\", "[a", "[[:x:]]"])
def test_what_fits_nothing_is_no_pattern(text: str) -> None:
    assert not is_pattern(text)


@pytest.mark.parametrize("text", ["a", "!a", "*", "/a", "[a]", "a/"])
def test_what_is_a_pattern(text: str) -> None:
    assert is_pattern(text)


def test_a_glob_speaks_of_its_folder() -> None:
    globs = Globs([Glob("/old", "/home/x"), Glob("*.py", "/home/x"), Glob("!/old", "/home/y")])
    assert globs.verdict("/home/x/old/") is True
    assert globs.verdict("/home/x/d/old/") is None
    assert globs.verdict("/home/y/old/") is False
    assert globs.verdict("/elsewhere/a.py") is True, "a pattern that is bound to no folder fits everywhere"
    assert globs.verdict("/elsewhere/old/") is None
    assert Globs([Glob("/old", "/")]).verdict("/old/") is True


def test_a_folder_covers_what_is_in_it() -> None:
    globs = Globs([Glob("tests/", "/x"), Glob("!tests/good/", "/x"), Glob("*.md", "/x")])
    paths = ["/x/tests/a.py", "/x/tests/d/a.py", "/x/tests/good/a.py", "/x/a.md", "/x/a.py", "/x/tests"]
    assert [globs.covers(path) for path in paths] == [True, True, False, True, False, False]


@pytest.mark.parametrize(
    ("patterns", "suffixes"),
    [
        (["*.py", "*.tar.gz"], (".py", ".tar.gz")),
        (["*.py", "a*.py"], ()),
        (["*.py", "!a.py"], ()),
        (["*.p?"], ()),
        (["/*.py"], ()),
        (["*"], ()),
    ],
)
def test_suffixes_are_a_short_way(patterns: list[str], suffixes: tuple[str, ...]) -> None:
    assert find_suffixes([Glob(pattern) for pattern in patterns]) == suffixes


# --- git as the judge ----------------------------------------------------------------------------------------------

pieces = st.sampled_from(
    [*"ab.p/*?![]^-\\ #:\N{LATIN SMALL LETTER E WITH ACUTE}", "**", "/**/", "[:alpha:]", "[a-b]", "a.py", "*.py", "!"]
)
lines = st.lists(pieces, min_size=1, max_size=6).map("".join).filter(lambda line: line.strip("\r\n"))
folders = st.sampled_from(["", "a/", "b/", "a/b/", "a/b/a/", "p q/", "\N{LATIN SMALL LETTER E WITH ACUTE}/"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=60)
@given(st.dictionaries(folders, st.lists(lines, min_size=1, max_size=4), min_size=1, max_size=3))
def test_git_ignores_the_same_files(ignore_files: dict[str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        subprocess.run(["git", "init", "-q", name], check=True)
        for folder in ["", "a/", "b/", "a/b/", "a/b/a/", "p q/", "\N{LATIN SMALL LETTER E WITH ACUTE}/"]:
            (root / folder).mkdir(exist_ok=True)
            for file in ("a.py", "b.py", "p.py"):
                (root / folder / file).touch()
        for folder, patterns in ignore_files.items():
            (root / folder / ".gitignore").write_text("\n".join(patterns) + "\n", encoding="utf-8", newline="\n")
        command = ["git", "-C", name, "ls-files", "-z", "--others", "--exclude-standard"]
        output = subprocess.run(command, check=True, capture_output=True).stdout
        expected = sorted(path for path in os.fsdecode(output).split("\0") if path.endswith(".py"))
        found = find_files([name], DEFAULT_INCLUDE).files
        assert sorted(os.path.relpath(path, name) for path in found) == expected
