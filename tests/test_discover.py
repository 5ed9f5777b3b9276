"""Which files a run looks at."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from pathlib import Path

import pytest

from prepare_fix.settings import DEFAULT_INCLUDE
from prepare_fix.sources.discover import EXCLUDED_FOLDERS, Discovery, show_path
from prepare_fix.sources.discover import find_files as find
from prepare_fix.sources.globs import Glob


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def write(root: Path, *names: str, content: str = "") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def find_files(
    paths: Iterable[str], include: Iterable[str] = (), exclude: Iterable[str] = (), force_exclude: bool = False
) -> Discovery:
    def globs(patterns: Iterable[str]) -> tuple[Glob, ...]:
        return tuple(Glob(pattern, os.getcwd()) for pattern in patterns)

    return find(paths, (*DEFAULT_INCLUDE, *globs(include)), globs(exclude), force_exclude=force_exclude)


def found(*paths: str, **globs: Iterable[str]) -> list[str]:
    discovery = find_files(paths, **globs)
    assert discovery.problems == ()
    return list(discovery.files)


def test_a_folder_is_walked_and_sorted(tree: Path) -> None:
    write(tree, "b.py", "a/z.py", "a/b/n.ipynb", "a.txt", "pyi.pyi", "c.PY", "a-b.py")
    assert found(".") == ["a-b.py", "a/b/n.ipynb", "a/z.py", "b.py"]
    assert found("a") == ["a/b/n.ipynb", "a/z.py"]
    assert found(str(tree / "a")) == found("a/") == found("./a") == ["a/b/n.ipynb", "a/z.py"]


def test_a_file_by_hand_is_read_whatever_its_name(tree: Path) -> None:
    write(tree, "script", ".venv/a.py", "ignored.py")
    write(tree, ".gitignore", content="ignored.py\n")
    assert found("script", ".venv/a.py", "ignored.py") == [".venv/a.py", "ignored.py", "script"]


def test_what_is_excluded_is_left_out_by_force_where_it_is_named(tree: Path) -> None:
    names = ["script", "a.py", ".venv/a.py", "old/a.py", "old/new/a.py", "build/a.py"]
    write(tree, *names)
    write(tree.parent, "old/b.py", "build/b.py")
    exclude = ["old/", "!build/"]
    assert list(find_files(names, exclude=exclude).files) == sorted(names)
    forced = find_files([*names, "../build/b.py", str(tree / "old/a.py")], exclude=exclude, force_exclude=True)
    # Folders around the current one are none of the project's.
    assert list(forced.files) == ["../build/b.py", "a.py", "build/a.py", "script"]
    assert forced.problems == ()


def test_each_file_comes_once(tree: Path) -> None:
    write(tree, "a/b.py")
    (tree / "link.py").symlink_to("a/b.py")
    assert found("a/b.py", "a", ".", str(tree), "./a/../a/b.py") == ["a/b.py"]
    assert found("link.py") == ["link.py"]


def test_built_in_folders_are_left_out_unless_named(tree: Path) -> None:
    write(tree, *(f"{name}/a.py" for name in EXCLUDED_FOLDERS), "sub/.venv/lib/site-packages/b.py", "good/a.py")
    assert found(".") == ["good/a.py"]
    assert found(".venv") == [".venv/a.py"]
    assert found("sub/.venv/lib/site-packages") == ["sub/.venv/lib/site-packages/b.py"]


def test_files_outside_keep_the_path_that_was_given(tree: Path) -> None:
    write(tree.parent, "other/a.py")
    assert found("../other") == ["../other/a.py"]
    assert found(str(tree.parent / "other")) == [str(tree.parent / "other" / "a.py")]


def test_what_is_not_there_is_told_and_the_rest_done(tree: Path) -> None:
    write(tree, "a.py")
    (tree / "dangling.py").symlink_to("nowhere")
    (tree / "loop.py").symlink_to("loop.py")
    discovery = find_files(["missing", "a.py", "dangling.py", "loop.py"])
    assert discovery.files == ("a.py",)
    assert [problem.path for problem in discovery.problems] == ["missing", "dangling.py", "loop.py"]
    assert discovery.problems[0].message == "No such file or directory"
    assert found(".") == ["a.py"], "in a walk there is nothing behind such a link"


def test_odd_things_are_no_files(tree: Path) -> None:
    write(tree, "folder.py/a.py")
    os.mkfifo(tree / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        assert found(".") == ["folder.py/a.py"]
        discovery = find_files(["pipe.py", "socket.py"])
    assert discovery.files == ()
    assert {problem.message for problem in discovery.problems} == {"neither a file nor a folder"}


def test_linked_folders_are_not_entered(tree: Path) -> None:
    write(tree, "real/a.py")
    (tree / "linked").symlink_to("real")
    (tree / "real" / "up").symlink_to("..")
    assert found(".") == ["real/a.py"]
    assert found("linked") == ["linked/a.py"]


def test_a_linked_file_is_visited_by_its_real_path(tree: Path) -> None:
    write(tree, "deep/real", "deep/plain.py", ".venv/hidden.py")
    write(tree.parent, "outside.py")
    (tree / "one.py").symlink_to("deep/real")
    (tree / "two.py").symlink_to("deep/real")
    (tree / "three.py").symlink_to("deep/plain.py")
    (tree / "four.py").symlink_to("../outside.py")
    (tree / "five.py").symlink_to(".venv/hidden.py")
    (tree / "six.py").symlink_to("deep")
    assert found(".") == ["deep/plain.py", "deep/real"]


@pytest.mark.skipif(os.geteuid() == 0, reason="a privileged user can read every folder")
def test_an_unreadable_folder_is_told(tree: Path) -> None:
    write(tree, "a.py", "closed/b.py")
    (tree / "closed").chmod(0)
    try:
        discovery = find_files(["."])
    finally:
        (tree / "closed").chmod(0o755)
    assert discovery.files == ("a.py",)
    assert [(problem.path, problem.message) for problem in discovery.problems] == [("closed/", "Permission denied")]


def test_a_folder_that_vanishes_in_the_walk_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def fail_below(path: str) -> object:
        if path == ".":
            return scandir(path)
        raise FileNotFoundError(2, "No such file or directory")

    write(tree, "a.py", "gone/b.py")
    monkeypatch.setattr(os, "scandir", fail_below)
    discovery = find_files(["."])
    assert discovery.files == ("a.py",)
    assert [problem.path for problem in discovery.problems] == ["gone/"]


# --- .gitignore ----------------------------------------------------------------------------------------------------

IGNORED = {
    "name": ("a.py\n", ["b.py", "d/b.py"]),
    "folder": ("d/\n", ["a.py", "b.py"]),
    "anchored": ("/a.py\n", ["b.py", "d/a.py", "d/b.py"]),
    "negated": ("*.py\n!b.py\n", ["b.py", "d/b.py"]),
    "below an ignored folder nothing comes back": ("d/\n!d/b.py\n", ["a.py", "b.py"]),
    "comment and blank": ("# a.py\n\n  \nd/**\n", ["a.py", "b.py"]),
    "carriage returns": ("a.py\r\nd/\r\n", ["b.py"]),
    "everything": ("*\n", []),
}


@pytest.mark.parametrize(("patterns", "left"), IGNORED.values(), ids=IGNORED.keys())
def test_gitignore(tree: Path, patterns: str, left: list[str]) -> None:
    write(tree, "a.py", "b.py", "d/a.py", "d/b.py")
    (tree / ".gitignore").write_bytes(patterns.encode())
    assert found(".") == left


def test_the_nearest_ignore_file_decides(tree: Path) -> None:
    write(tree, "a.py", "d/a.py", "d/e/a.py", "d/e/b.py")
    write(tree, ".gitignore", content="a.py\n")
    write(tree, "d/.gitignore", content="!a.py\n/e/b.py\n")
    assert found(".") == ["d/a.py", "d/e/a.py"]


def test_ignore_files_above_count_in_a_work_tree(tree: Path) -> None:
    write(tree, "sub/deep/a.py", "sub/deep/b.py", "sub/deep/c.py")
    write(tree, ".gitignore", content="/sub/deep/a.py\nc.py\n")
    write(tree, "sub/.gitignore", content="!c.py\n/deep/b.py\n")
    assert found("sub/deep") == ["sub/deep/a.py", "sub/deep/b.py", "sub/deep/c.py"], (
        "no work tree, nothing above counts"
    )
    (tree / ".git").mkdir()
    assert found("sub/deep") == ["sub/deep/c.py"]
    assert found("sub/deep", ".") == ["sub/deep/c.py"]


def test_what_git_ignores_here_alone_counts_least(tree: Path) -> None:
    write(tree, "a.py", "b.py", "d/a.py", "d/b.py")
    write(tree, ".git/info/exclude", content="b.py\n/d/a.py\n")
    assert found(".") == ["a.py"]
    assert found("d") == []
    write(tree, "d/.gitignore", content="!b.py\n")
    assert found(".") == ["a.py", "d/b.py"]
    assert found("d") == ["d/b.py"]


def test_an_ignored_folder_named_by_hand_is_walked(tree: Path) -> None:
    (tree / ".git").mkdir()
    write(tree, "out/a.py", "out/b.py")
    write(tree, ".gitignore", content="out/\n")
    write(tree, "out/.gitignore", content="b.py\n")
    assert found(".") == []
    assert found("out") == ["out/a.py"]


def test_ignore_files_do_not_speak_of_another_work_tree(tree: Path) -> None:
    (tree / ".git").mkdir()
    write(tree, "a.py", "inner/a.py", "inner/b.py", "outer/a.py")
    (tree / "inner" / ".git").write_text("gitdir: elsewhere")
    write(tree, ".gitignore", content="a.py\n")
    write(tree, "inner/.gitignore", content="b.py\n")
    assert found(".") == ["inner/a.py"]


@pytest.mark.parametrize("content", [b"!\n[z-a]\n\\\n[[:alpha:]\nb.py\n", b"\xef\xbb\xbfb.py\n", b"\xff\nb.py\n\0"])
def test_an_odd_ignore_file_is_read_as_git_reads_it(tree: Path, content: bytes) -> None:
    write(tree, "a.py", "b.py")
    (tree / ".gitignore").write_bytes(content)
    assert found(".") == ["a.py"]


def test_an_unreadable_ignore_file_is_told(tree: Path) -> None:
    write(tree, "a.py")
    (tree / ".gitignore").mkdir()
    (tree / "d").mkdir()
    os.mkfifo(tree / "d" / ".gitignore")
    discovery = find_files(["."])
    assert discovery.files == ("a.py",)
    assert {(problem.path, problem.message) for problem in discovery.problems} == {
        (".gitignore", "it is no regular file"),
        ("d/.gitignore", "it is no regular file"),
    }


def test_an_empty_path_is_told(tree: Path) -> None:
    assert [(bad.path, bad.message) for bad in find_files([""]).problems] == [("''", "No such file or directory")]


# --- include and exclude -------------------------------------------------------------------------------------------

CHOICES: dict[str, tuple[list[str], list[str], list[str]]] = {
    # include beside the built-in globs, exclude, what is found
    "nothing": ([], [], ["a.py", "d/b.py", "d/e/c.py"]),
    "more files": (["*.md"], [], ["a.py", "d/b.py", "d/e/c.py", "d/r.md"]),
    "more files in one folder": (["/d/*.txt"], [], ["a.py", "d/b.py", "d/e/c.py", "d/t.txt"]),
    "fewer files": (["!*.py", "a.py"], [], ["a.py"]),
    "a name": ([], ["b.py"], ["a.py", "d/e/c.py"]),
    "a folder": ([], ["e/"], ["a.py", "d/b.py"]),
    "a folder without a stroke": ([], ["d"], ["a.py"]),
    "bound to the folder": ([], ["/b.py", "/d/e"], ["a.py", "d/b.py"]),
    "all but one": ([], ["*.py", "!c.py"], ["d/e/c.py"]),
    "below a folder that is left out nothing comes back": ([], ["d/", "!c.py"], ["a.py"]),
    "a built-in folder comes back": ([], ["!build/"], ["a.py", "build/x.py", "d/b.py", "d/e/c.py"]),
    "what is left out is left out even if included": (["*.md"], ["r.md"], ["a.py", "d/b.py", "d/e/c.py"]),
}


@pytest.mark.parametrize(("include", "exclude", "expected"), CHOICES.values(), ids=CHOICES.keys())
def test_include_and_exclude(tree: Path, include: list[str], exclude: list[str], expected: list[str]) -> None:
    write(tree, "a.py", "d/b.py", "d/e/c.py", "d/r.md", "d/t.txt", "build/x.py")
    assert found(".", include=include, exclude=exclude) == expected


def test_what_is_named_by_hand_is_not_left_out(tree: Path) -> None:
    write(tree, "d/a.py", "d/e/b.py", "d/f/d/c.py")
    assert found("d/a.py", exclude=["d/", "*.py"]) == ["d/a.py"]
    assert found("d", exclude=["d/"]) == ["d/a.py", "d/e/b.py", "d/f/d/c.py"], "what leaves out all does not count"
    assert found("d", exclude=["/d", "e/"]) == ["d/a.py", "d/f/d/c.py"]


def test_globs_hold_outside_of_their_folder_where_they_can(tree: Path) -> None:
    write(tree.parent, "other/a.py", "other/old/b.py", "other/new/c.py")
    assert found("../other", exclude=["old/", "/new"]) == ["../other/a.py", "../other/new/c.py"]


def test_a_linked_file_does_not_come_round_an_exclude(tree: Path) -> None:
    write(tree, "old/real.py", "new/real.py")
    (tree / "one.py").symlink_to("old/real.py")
    (tree / "two.py").symlink_to("new/real.py")
    assert found(".", exclude=["old/"]) == ["new/real.py"]


# --- names in reports ----------------------------------------------------------------------------------------------


def test_paths_are_shown_relative_to_the_current_folder(tree: Path) -> None:
    write(tree, "d/a.py")
    assert show_path(str(tree / "d" / "a.py")) == ("d/a.py", None)
    assert show_path("./d/../d/a.py") == ("d/a.py", None)
    assert show_path("...py") == ("...py", None)


def test_paths_outside_are_shown_relative_to_their_work_tree(tree: Path) -> None:
    write(tree.parent, "other/d/a.py")
    assert show_path("../other/d/a.py") == (str(tree.parent / "other" / "d" / "a.py"), None)
    (tree.parent / "other" / ".git").mkdir()
    assert show_path("../other/d/a.py") == ("d/a.py", str(tree.parent / "other"))
