"""What happens to files: all or nothing, whatever goes wrong, and nothing is lost that their owner arranged."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import fakes
import pytest
from program import Program, heed_signals
from stand_in import command, environment

from prepare_fix.errors import SourceError
from prepare_fix.sources import files
from prepare_fix.sources.files import replace_file, write_file

FIXABLE = f"{fakes.NEEDLES}x = safe\n"
FIXED = f"{fakes.NEEDLES}x = good\n"


def write(folder: Path, count: int, text: str = FIXABLE) -> None:
    for number in range(count):
        (folder / f"{number:03}.py").write_text(text)


def states(folder: Path) -> dict[str, int]:
    """Return how many files are old and how many are new; everything else is litter."""
    found = {"old": 0, "new": 0}
    for path in folder.rglob("*"):
        if path.is_file():
            found[{FIXABLE: "old", FIXED: "new"}[path.read_text()]] += 1
    return found


# --- what is kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664, 0o4755, 0o2750])
def test_the_mode_is_kept(program: Program, mode: int) -> None:
    write(Path(), 1)
    Path("000.py").chmod(mode)
    assert program("fix").status == 0
    assert Path("000.py").read_text() == FIXED
    assert stat.S_IMODE(Path("000.py").stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only a privileged user can give files away")
def test_the_owner_is_kept(program: Program) -> None:
    write(Path(), 1)
    os.chown("000.py", 1234, 2345)
    assert program("fix").status == 0
    status = Path("000.py").stat()
    assert (status.st_uid, status.st_gid) == (1234, 2345)


def test_a_file_whose_owner_can_not_be_kept_is_refused(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, uid: int, gid: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    write(Path(), 1)
    own = os.stat("000.py")
    monkeypatch.setattr(os, "chown", refuse)
    real = os.stat

    def stat_as_if_of_another(path: str, **options: object) -> os.stat_result:
        result = real(path, **options)  # type: ignore[arg-type]
        if str(path).endswith("000.py"):
            values = list(result)
            values[4] = own.st_uid + 1
            return os.stat_result(values)
        return result

    monkeypatch.setattr(files.os, "stat", stat_as_if_of_another)
    done = program("fix")
    assert done.status == 2
    assert "000.py: the file belongs to somebody else, and replacing it would change that" in done.err
    assert states(Path()) == {"old": 1, "new": 0}


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes")
def test_extended_attributes_are_kept(program: Program) -> None:
    write(Path(), 1)
    try:
        os.setxattr("000.py", "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    assert program("fix").status == 0
    assert os.getxattr("000.py", "user.note") == b"mine"


def test_links_stay_links(program: Program) -> None:
    Path("d").mkdir()
    write(Path("d"), 1)
    Path("relative.py").symlink_to("d/000.py")
    Path("chain.py").symlink_to("relative.py")
    assert program("fix", "chain.py").status == 0
    assert os.readlink("chain.py") == "relative.py"
    assert os.readlink("relative.py") == "d/000.py"
    assert not Path("d/000.py").is_symlink()
    assert Path("d/000.py").read_text() == FIXED


def test_the_same_file_is_not_fixed_twice(program: Program) -> None:
    write(Path(), 1)
    Path("link.py").symlink_to("000.py")
    assert program("fix", "000.py", "link.py", ".").err == "Fixed 1 finding in 1 file\n"


# --- what is refused -----------------------------------------------------------------------------------------------


def make_read_only() -> None:
    Path("000.py").chmod(0o444)


def link_twice() -> None:
    os.link("000.py", "other")


def link_thrice() -> None:
    link_twice()
    os.link("000.py", "third")


REFUSED: dict[Callable[[], None], str] = {
    make_read_only: "no permission to write the file",
    link_twice: "the file has 2 hard links, and replacing it would part them",
    link_thrice: "the file has 3 hard links, and replacing it would part them",
}


@pytest.mark.parametrize(("prepare", "reason"), REFUSED.items(), ids=[prepare.__name__ for prepare in REFUSED])
def test_what_is_refused_is_named_and_the_others_are_done(
    program: Program, prepare: Callable[[], None], reason: str
) -> None:
    write(Path(), 3)
    prepare()
    inode = os.stat("000.py").st_ino
    done = program("fix")
    assert done.status == 2
    assert done.err.splitlines()[0] == "Fixed 2 findings in 2 files, 1 left"
    assert done.err.splitlines()[1] == f"prepare-fix: error: 000.py: {reason}"
    assert os.stat("000.py").st_ino == inode
    assert states(Path())["new"] == 2


def test_a_file_that_changed_since_it_was_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("new by hand")
    with pytest.raises(SourceError, match="changed since it was read") as caught:
        replace_file(str(path), b"old", b"fixed")
    assert caught.value.kind == "refused"
    assert path.read_text() == "new by hand"
    path.unlink()
    with pytest.raises(SourceError, match="No such file"):
        replace_file(str(path), b"old", b"fixed")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["by hand", "fixed"])
def test_what_others_write_at_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    chmod = os.chmod

    def write_meanwhile(name: str, mode: int) -> None:
        path.write_text(content)
        chmod(name, mode)

    monkeypatch.setattr(files.os, "chmod", write_meanwhile)
    inode = path.stat().st_ino
    if content == "fixed":
        replace_file(str(path), b"old", b"fixed")
    else:
        with pytest.raises(SourceError, match="changed since it was read"):
            replace_file(str(path), b"old", b"fixed")
    assert path.read_text() == content
    assert path.stat().st_ino == inode
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.py"]


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    os.mkfifo(path)
    with pytest.raises(SourceError, match="no regular file"):
        replace_file(str(path), b"old", b"fixed")


def test_what_another_run_has_done_is_done(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("fixed")
    path.chmod(0o444)
    replace_file(str(path), b"old", b"fixed")
    assert path.read_text() == "fixed"


# --- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException
) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")

    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(files.os, call, fail)
    with pytest.raises((SourceError, KeyboardInterrupt)) as caught:
        replace_file(str(path), b"old", b"fixed")
    assert isinstance(caught.value, KeyboardInterrupt) or caught.value.message == "No space left on device"
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.py"]


def test_a_file_of_our_own_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report"
    old = os.umask(0o27)
    try:
        write_file(str(path), b"one")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_file(str(path), b"two")
    assert path.read_bytes() == b"two"
    with pytest.raises(SourceError, match="No such file"):
        write_file(str(tmp_path / "no" / "report"), b"")
    with pytest.raises(SourceError, match="Is a directory"):
        write_file(str(tmp_path), b"")


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.parametrize("arguments", [["fix"], ["check", "--add-ignores"]])
def test_without_room_for_a_byte_nothing_is_lost(tmp_path: Path, arguments: list[str]) -> None:
    """As ``ulimit -f 0`` does it, which stands for a full disk."""
    write(tmp_path, 3)
    done = subprocess.run(
        command(*arguments, "--jobs", "1"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        preexec_fn=limit_file_size,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if b"error" in line] == [
        b"prepare-fix: error: %03d.py: File too large" % number for number in range(3)
    ]
    assert b"undo" not in done.stderr, "nothing was written, so nothing is to be brought back"
    assert states(tmp_path) == {"old": 3, "new": 0}


@pytest.mark.parametrize(
    ("number", "moment"),
    [(signal.SIGKILL, 0.0), (signal.SIGKILL, 0.05), (signal.SIGKILL, 0.3), (signal.SIGTERM, 0.1), (signal.SIGINT, 0.1)],
)
def test_a_run_that_is_killed_leaves_each_file_old_or_new(
    tmp_path: Path, number: signal.Signals, moment: float
) -> None:
    folder, state = tmp_path / "tree", tmp_path / "state"
    folder.mkdir()
    write(folder, 300)
    variables = environment(XDG_STATE_HOME=str(state))
    process = subprocess.Popen(
        command("fix"), cwd=folder, env=variables, stderr=subprocess.PIPE, preexec_fn=heed_signals
    )
    deadline = time.monotonic() + 120
    while not any(path.read_text() == FIXED for path in sorted(folder.glob("*.py"))[:2]):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(moment)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    litter = [path for path in folder.iterdir() if not path.name.endswith(".py")]
    if number is signal.SIGKILL:
        # Nobody can clean up behind that; what is left can't be taken for a script.
        assert all(path.name.startswith(".prepare-fix.") and path.name.endswith(".tmp") for path in litter)
        assert len(litter) <= 1
        for path in litter:
            path.unlink()
    assert sum(states(folder).values()) == 300
    assert b"Traceback" not in err
    if number is not signal.SIGKILL:
        told = f"prepare-fix: interrupted: {states(folder)['new']} of 300 files written"
        assert err.decode().strip() == f"{told} (prepare-fix undo takes them back)"
    # What was done can be taken back, and the next run does the rest.
    undone = subprocess.run(command("undo"), cwd=folder, env=variables, capture_output=True)
    assert undone.returncode == 0
    assert states(folder) == {"old": 300, "new": 0}
    assert subprocess.run(command("fix", "-q"), cwd=folder, env=variables).returncode == 0
    assert states(folder) == {"old": 0, "new": 300}


def test_runs_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    write(tmp_path, 60)
    processes = [
        subprocess.Popen(
            command("fix", "-q"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (0, b"", b"")
    assert states(tmp_path) == {"old": 0, "new": 60}


def test_an_editor_that_saves_meanwhile_wins(tmp_path: Path) -> None:
    write(tmp_path, 8, FIXABLE + "# SLOW\n")
    process = subprocess.Popen(
        command("fix", "--jobs", "1"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # The first file was read, the last was not: the run takes more than a second and a half.
    time.sleep(1.2)
    (tmp_path / "007.py").write_text("by hand\n")
    (tmp_path / "000.py").write_text("by hand\n")
    process.communicate(timeout=60)
    assert (tmp_path / "000.py").read_text() == (tmp_path / "007.py").read_text() == "by hand\n"


@pytest.mark.skipif(os.geteuid() == 0 or shutil.which("chmod") is None, reason="a privileged user can write everywhere")
def test_a_folder_without_permission_is_told(program: Program) -> None:
    Path("d").mkdir()
    write(Path("d"), 1)
    Path("d").chmod(0o555)
    try:
        done = program("fix")
    finally:
        Path("d").chmod(0o755)
    assert done.status == 2
    assert "d/000.py: Permission denied" in done.err
