"""What git would not bring back is not written, unless that is asked for; and git runs nothing but itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import fakes
import pytest
from program import Program

from prepare_fix import apply, worktree
from prepare_fix.worktree import find_uncommitted

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FIXABLE = f"{fakes.NEEDLES}x = safe\n"
FIXED = f"{fakes.NEEDLES}x = good\n"
DIRTY = f"{FIXABLE}y = 1\n"
UNCOMMITTED = "it has uncommitted changes: commit or stash them, or use --allow-dirty"


def git(*arguments: str, folder: str | Path = ".") -> str:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    Path("d").mkdir()
    for name in ("a.py", "d/b.py", "c c.py"):
        Path(name).write_text(FIXABLE)
    git("add", ".")
    git("commit", "-q", "-m", "x")
    return tmp_path


def change() -> None:
    Path("a.py").write_text(DIRTY)


def stage() -> None:
    change()
    git("add", "a.py")


def stage_and_change_back() -> None:
    stage()
    Path("a.py").write_text(FIXABLE)


def stage_new() -> None:
    git("rm", "-q", "--cached", "a.py")
    git("commit", "-q", "-m", "y")
    git("add", "a.py")


def intend_to_add() -> None:
    git("rm", "-q", "--cached", "a.py")
    git("commit", "-q", "-m", "y")
    git("add", "-N", "a.py")


def change_the_mode() -> None:
    Path("a.py").chmod(0o755)


def the_repository_says_it_is_elsewhere() -> None:
    change()
    git("config", "core.worktree", "/")


def conflict() -> None:
    git("checkout", "-q", "-b", "one")
    Path("a.py").write_text(f"{FIXABLE}y = 1\n")
    git("commit", "-q", "-a", "-m", "one")
    git("checkout", "-q", "-b", "two", "HEAD~1")
    Path("a.py").write_text(f"{FIXABLE}y = 2\n")
    git("commit", "-q", "-a", "-m", "two")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "one")
    git("checkout", "-q", "--ours", "a.py")


DIRTY_STATES: dict[str, Callable[[], None]] = {
    "changed": change,
    "staged": stage,
    "staged, then changed back": stage_and_change_back,
    "new and staged": stage_new,
    "announced": intend_to_add,
    "another mode": change_the_mode,
    "in conflict": conflict,
    "in a repository that says it is elsewhere": the_repository_says_it_is_elsewhere,
}


@pytest.mark.parametrize("prepare", DIRTY_STATES.values(), ids=DIRTY_STATES.keys())
def test_a_file_with_uncommitted_changes_is_refused(
    repository: Path, program: Program, prepare: Callable[[], None]
) -> None:
    prepare()
    before = Path("a.py").read_bytes()
    done = program("fix")
    assert done.status == 2
    assert [line for line in done.err.splitlines() if "error" in line] == [f"prepare-fix: error: a.py: {UNCOMMITTED}"]
    assert done.out.startswith("a.py:2:5: PF301 [*] `safe` is found")
    assert Path("a.py").read_bytes() == before
    assert Path("d/b.py").read_text() == Path("c c.py").read_text() == FIXED, "the others are done"
    assert program("fix", "--allow-dirty").status == 0
    assert "good" in Path("a.py").read_text()


@pytest.mark.parametrize(
    "flags", [["--assume-unchanged"], ["--skip-worktree"], ["--assume-unchanged", "--skip-worktree"]]
)
def test_a_file_that_git_does_not_look_at_is_refused(repository: Path, program: Program, flags: list[str]) -> None:
    for flag in flags:
        git("update-index", flag, "a.py")
    change()
    done = program("fix")
    assert done.status == 2
    assert "a.py: git is told to overlook its changes" in done.err
    assert Path("a.py").read_text() == DIRTY
    assert Path("d/b.py").read_text() == FIXED
    assert program("fix", "--allow-dirty").status == 0


def test_an_empty_folder_called_git_hides_nothing(repository: Path, program: Program) -> None:
    Path("d/.git").mkdir()
    Path("d/b.py").write_text(DIRTY)
    done = program("fix", "d")
    assert (done.status, f"d/b.py: {UNCOMMITTED}" in done.err) == (2, True)


def nothing() -> None:
    pass


def touch() -> None:
    os.utime("a.py", (0, 0))


def untrack() -> None:
    git("rm", "-q", "--cached", "a.py")
    git("commit", "-q", "-m", "y")
    change()


def ignore() -> None:
    untrack()
    Path(".git/info/exclude").write_text("a.py\n")


def dirty_others() -> None:
    Path("other.py").write_text("x = 1\n")
    Path("harmless.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    git("add", ".")
    Path("other.py").write_text("x = 2\n")


def no_commit_yet() -> None:
    shutil.rmtree(".git")
    git("init", "-q")


def no_repository() -> None:
    shutil.rmtree(".git")


def an_empty_folder_called_git() -> None:
    shutil.rmtree(".git")
    Path(".git").mkdir()


def ask_from_a_hook() -> None:
    """Leave the variables that git sets for the hooks of another repository."""
    git("init", "-q", "elsewhere")
    os.environ["GIT_DIR"] = str(Path("elsewhere/.git").absolute())
    os.environ["GIT_INDEX_FILE"] = "nonsense"


CLEAN_STATES = [
    nothing, touch, untrack, ignore, dirty_others, no_commit_yet, no_repository, an_empty_folder_called_git,
    ask_from_a_hook,
]  # fmt: skip


@pytest.mark.parametrize("prepare", CLEAN_STATES, ids=[prepare.__name__ for prepare in CLEAN_STATES])
def test_all_other_files_are_written(
    repository: Path, program: Program, prepare: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    prepare()
    assert program("fix", "a.py").status == 0
    assert "good" in Path("a.py").read_text()


def test_what_another_run_has_written_meanwhile_is_done(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = apply.find_uncommitted

    def find_late(paths: Iterable[str]) -> dict[str, str]:
        Path("a.py").write_text(FIXED)
        Path("d/b.py").write_text(DIRTY)
        return find(paths)

    monkeypatch.setattr(apply, "find_uncommitted", find_late)
    done = program("fix")
    assert done.status == 2
    assert [line for line in done.err.splitlines() if "error" in line] == [f"prepare-fix: error: d/b.py: {UNCOMMITTED}"]
    assert Path("a.py").read_text() == Path("c c.py").read_text() == FIXED


def test_only_files_that_would_change_are_asked_for(repository: Path, program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = stays\n")
    assert program("fix").status == 1, "nothing to write in it, so nothing to refuse"
    Path("a.py").write_text(DIRTY)
    assert program("check").status == 1
    assert program("diff").status == 1


def test_a_second_fix_is_no_trouble(repository: Path, program: Program) -> None:
    assert program("fix").status == 0
    assert program("fix").status == 0


def test_the_work_tree_of_each_file_is_asked(
    repository: Path, program: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    git("init", "-q", folder=other)
    (other / "a.py").write_text(FIXABLE)
    git("add", ".", folder=other)
    git("init", "-q", "d/inner")
    Path("d/inner/e.py").write_text(FIXABLE)
    git("add", ".", folder="d/inner")
    assert set(find_uncommitted(["a.py", "d/b.py", "d/inner/e.py", str(other / "a.py"), "missing.py"])) == {
        "d/inner/e.py",
        str(other / "a.py"),
    }
    Path("link.py").symlink_to(other / "a.py")
    assert set(find_uncommitted(["a.py", "link.py"])) == {"link.py"}, "what it leads to is what would be written"


def test_odd_names(repository: Path) -> None:
    names = [
        "-n.py",
        "*.py",
        ":!a.py",
        "tab\there.py",
        "new\nline.py",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}.py",
        "\udcff.py",
    ]
    for name in names:
        Path(name).write_text(FIXABLE)
    git("add", "--", *(f"./{name}" for name in names))
    git("commit", "-q", "-m", "y")
    assert find_uncommitted(names) == {}
    for name in names:
        Path(name).write_text(DIRTY)
    assert sorted(find_uncommitted([*names, "a.py"])) == sorted(names)


def test_many_files_are_asked_for_in_batches(repository: Path) -> None:
    names = [f"{'long' * 20}_{number}.py" for number in range(1100)]
    for name in names:
        Path(name).write_text("x\n")
    git("add", ".")
    git("commit", "-q", "-m", "y")
    for name in names[::7]:
        Path(name).write_text("y\n")
    assert sorted(find_uncommitted(names)) == sorted(names[::7])


# --- where git can't tell ------------------------------------------------------------------------------------------


def test_without_git_a_work_tree_is_not_written(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(repository / "nowhere"))
    done = program("fix", "a.py")
    assert done.status == 2
    assert "git can't tell whether it has uncommitted changes: it could not be started: No such file" in done.err
    assert Path("a.py").read_text() == FIXABLE
    assert program("fix", "a.py", "--allow-dirty").status == 0


def break_index() -> None:
    Path(".git/index").write_bytes(b"nonsense")


def break_head() -> None:
    Path(".git/HEAD").write_text("nonsense")


def break_settings() -> None:
    Path(".git/config").write_text("[nonsense")


def lose_repository() -> None:
    shutil.rmtree(".git")
    Path(".git").write_text("gitdir: nowhere")


BROKEN = [break_index, break_head, break_settings, lose_repository]


@pytest.mark.parametrize("damage", BROKEN, ids=[damage.__name__ for damage in BROKEN])
def test_a_broken_repository_is_not_written(repository: Path, program: Program, damage: Callable[[], None]) -> None:
    damage()
    done = program("fix", "a.py")
    assert done.status == 2
    assert "a.py: git can't tell whether it has uncommitted changes: " in done.err
    assert "(--allow-dirty writes it all the same)" in done.err
    assert Path("a.py").read_text() == FIXABLE


ODD_GITS = {
    "exit 3": "status 3",
    "echo oops >&2; exit 1": "oops",
    "kill -9 $$": "status -9",
    "exec sleep 60": "it did not answer within 0 seconds",
}


@pytest.mark.parametrize(("script", "reason"), ODD_GITS.items(), ids=ODD_GITS.keys())
def test_a_git_that_does_not_work_is_told(
    repository: Path, program: Program, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    Path("bin").mkdir()
    Path("bin/git").write_text(f"#!/bin/sh\n{script}\n")
    Path("bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", str(repository / "bin"), prepend=os.pathsep)
    monkeypatch.setattr(worktree, "_PATIENCE", 0.3)
    done = program("fix", "a.py")
    assert done.status == 2
    assert f"git can't tell whether it has uncommitted changes: {reason} (" in done.err
    assert Path("a.py").read_text() == FIXABLE


# --- a repository that would like to run something -----------------------------------------------------------------

TRAPS = {
    "monitor": [("core.fsmonitor", "{trap}")],
    "hooks": [("core.hooksPath", "hooks")],
    "filter": [("filter.x.clean", "{trap}; cat"), ("filter.x.required", "true")],
    "filter with an odd name": [("filter.x=y.clean", "{trap}; cat"), ("filter.x.process", "{trap}")],
    "smudge": [("filter.x.smudge", "{trap}; cat")],
    "diff": [("diff.external", "{trap}"), ("diff.x.textconv", "{trap}"), ("diff.x.command", "{trap}")],
    "pager": [("core.pager", "{trap}"), ("pager.status", "{trap}")],
    "alias": [("alias.status", "!{trap}"), ("alias.config", "!{trap}")],
    "ssh": [("core.sshCommand", "{trap}"), ("remote.origin.url", "ssh://x/y"), ("remote.origin.promisor", "true")],
}


@pytest.mark.parametrize("settings", TRAPS.values(), ids=TRAPS.keys())
def test_nothing_of_the_repository_is_run(repository: Path, settings: list[tuple[str, str]]) -> None:
    Path("hooks").mkdir()
    script = f"#!/bin/sh\ntouch {repository}/ran\n"
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit", "trap"):
        (repository / "hooks" / name).write_text(script)
        (repository / "hooks" / name).chmod(0o755)
    Path(".gitattributes").write_text("a.py filter=x diff=x\nd/b.py filter=x=y\n")
    for name, value in settings:
        git("config", name, value.format(trap=repository / "hooks" / "trap"))
    # The index has to be older than the file, or git would not look into it.
    os.utime("a.py", (0, 0))
    os.utime("d/b.py", (0, 0))
    (repository / "ran").unlink(missing_ok=True)
    assert find_uncommitted(["a.py", "d/b.py"]) == {}
    Path("a.py").write_text(DIRTY)
    assert list(find_uncommitted(["a.py", "d/b.py"])) == ["a.py"]
    assert not (repository / "ran").exists()
