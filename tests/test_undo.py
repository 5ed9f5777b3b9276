"""What a fix changed can be taken back: from a journal outside of the project, and only where nothing came after."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import fakes
import pytest
from program import Done, Program

from prepare_fix import journal
from prepare_fix.journal import find_folder, find_last_run

FIXABLE = f"{fakes.NEEDLES}x = safe\n"
FIXED = f"{fakes.NEEDLES}x = good\n"


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


def write(*names: str, content: str = FIXABLE) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


def journals() -> list[Path]:
    folder = Path(find_folder())
    return sorted(folder.iterdir()) if folder.exists() else []


def test_undo_restores_what_was(program: Program, state: Path) -> None:
    raw = b"\xef\xbb\xbf" + FIXABLE.replace("\n", "\r\n").encode() + b"# \xc3\xa9"
    write("d/b.py", "c.py")
    Path("a.py").write_bytes(raw)
    Path("a.py").chmod(0o751)
    write("good.py", content=FIXED)
    assert program("fix").status == 0
    (file,) = journals()
    assert file.is_relative_to(state)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert program("undo") == Done(0, "a.py: restored\nc.py: restored\nd/b.py: restored\n", "Restored 3 files\n")
    assert Path("a.py").read_bytes() == raw
    assert stat.S_IMODE(Path("a.py").stat().st_mode) == 0o751
    assert Path("c.py").read_text() == Path("d/b.py").read_text() == FIXABLE
    assert Path("good.py").read_text() == FIXED
    assert journals() == []


def test_nothing_to_undo(program: Program, tmp_path: Path) -> None:
    message = f"prepare-fix: error: there is no fix to take back in {tmp_path}\n"
    assert program("undo") == Done(2, "", message)
    write("a.py", content=FIXED)
    assert program("fix").status == 0
    assert journals() == [], "a fix that writes nothing leaves nothing behind"
    write("a.py")
    program("check")
    program("diff")
    program("fix", "-", stdin=FIXABLE.encode())
    assert journals() == []
    assert program("undo").status == 2


def test_fixes_are_taken_back_one_by_one(program: Program) -> None:
    write("a.py", content=f"{fakes.NEEDLES}x = safe, unsafe\n")
    program("fix")
    program("fix", "--unsafe-fixes")
    assert Path("a.py").read_text() == f"{fakes.NEEDLES}x = good, good\n"
    assert program("undo", "-q") == Done(0, "a.py: restored\n", "")
    assert Path("a.py").read_text() == f"{fakes.NEEDLES}x = good, unsafe\n"
    program("undo")
    assert Path("a.py").read_text() == f"{fakes.NEEDLES}x = safe, unsafe\n"
    assert program("undo").status == 2


def test_a_file_that_changed_since_is_left(program: Program) -> None:
    write("a.py", "b.py", "c.py", "d.py")
    program("fix")
    write("a.py", content="mine\n")
    Path("b.py").unlink()
    write("d.py")
    done = program("undo")
    assert done == Done(
        2,
        "c.py: restored\n",
        "prepare-fix: error: a.py: the file changed since the fix\n"
        "prepare-fix: error: b.py: No such file or directory\n"
        "Restored 1 file, 2 left as they are\n",
    )
    assert Path("a.py").read_text() == "mine\n"
    assert not Path("b.py").exists()
    assert Path("c.py").read_text() == Path("d.py").read_text() == FIXABLE
    write("a.py", "b.py", content=FIXED)
    assert program("undo").out == "a.py: restored\nb.py: restored\n", "what was left can still be taken back"


def test_a_file_that_is_gone_is_told(program: Program) -> None:
    write("a.py")
    program("fix")
    Path("a.py").unlink()
    assert program("undo").err == (
        "prepare-fix: error: a.py: No such file or directory\nRestored 0 files, 1 left as it is\n"
    )


def test_a_file_that_must_not_be_written_is_left(program: Program) -> None:
    write("a.py", "b.py")
    program("fix")
    Path("a.py").chmod(0o444)
    done = program("undo")
    assert (done.status, done.out) == (2, "b.py: restored\n")
    assert done.err.endswith("a.py: no permission to write the file\nRestored 1 file, 1 left as it is\n")


def test_undo_is_about_the_project_it_is_called_in(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("one/a.py", "two/d/a.py")
    (tmp_path / "two" / ".git").mkdir()
    program("fix", "one")
    monkeypatch.chdir(tmp_path / "two")
    program("fix")
    monkeypatch.chdir(tmp_path / "one")
    assert program("undo", "-q").out == "a.py: restored\n"
    assert program("undo").status == 2
    monkeypatch.chdir(tmp_path / "two" / "d")
    assert program("undo", "-q").out == "a.py: restored\n", "the last fix of the whole work tree"


def test_a_fix_from_elsewhere_is_found_by_its_files(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("one/a.py", "two/a.py")
    monkeypatch.chdir(tmp_path / "two")
    program("fix", "../one")
    monkeypatch.chdir(tmp_path / "one")
    assert program("undo", "-q").out == "a.py: restored\n"


def test_a_link_is_kept_and_its_target_restored(program: Program) -> None:
    write("d/real.py")
    Path("link.py").symlink_to("d/real.py")
    program("fix", "link.py")
    assert program("undo", "-q").out == "d/real.py: restored\n"
    assert Path("link.py").is_symlink()
    assert Path("d/real.py").read_text() == FIXABLE


def test_a_refused_file_is_not_in_the_way(program: Program) -> None:
    write("a.py")
    program("fix", "a.py")
    write("b.py")
    Path("b.py").chmod(0o444)
    assert program("fix", "b.py").status == 2
    assert program("undo", "-q").out == "a.py: restored\n"


@pytest.mark.parametrize("cut", [1, 40, 200])
def test_a_journal_that_was_cut_short_is_read_as_far_as_it_goes(program: Program, cut: int) -> None:
    write("a.py", "b.py")
    program("fix")
    (file,) = journals()
    # The crash came while the second entry was written: before the second file was.
    file.write_bytes(file.read_bytes()[:-cut])
    write("b.py")
    assert program("undo", "-q").out == "a.py: restored\n"


DAMAGE = [
    lambda lines: ["nonsense", *lines[1:]],
    lambda lines: ['{"version": 99, "folder": "/"}', *lines[1:]],
    lambda lines: ["[]", *lines[1:]],
    lambda lines: [lines[0], "{}"],
    lambda lines: ["[" * 100_000, *lines[1:]],
    lambda lines: ['{"version": 1, "folder": 3}', *lines[1:]],
    lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), "path": 3})],
    lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), "path": "a.py"})],
    lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), "path": "/a\0b"})],
    lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), "content": 3})],
    lambda lines: [lines[0], json.dumps({**json.loads(lines[1]), "content": "AAAA"})],
    lambda lines: lines[:1],
    lambda lines: [],
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_journal_is_no_journal(program: Program, damage: object) -> None:
    write("a.py")
    program("fix")
    (file,) = journals()
    lines = damage(file.read_text().splitlines())  # type: ignore[operator]
    file.write_text("".join(f"{line}\n" for line in lines))
    assert program("undo").status == 2
    assert Path("a.py").read_text() == FIXED


def test_content_that_is_not_what_was_is_never_written(program: Program) -> None:
    write("a.py", "b.py")
    program("fix")
    (file,) = journals()
    head, first, second = map(json.loads, file.read_text().splitlines())
    first["content"] = second["content"]
    first["before"] = "0" * 64
    file.write_text("".join(f"{json.dumps(line)}\n" for line in (head, first, second)))
    done = program("undo")
    assert (done.status, done.out) == (2, "b.py: restored\n")
    assert "a.py: the journal is damaged" in done.err
    assert Path("a.py").read_text() == FIXED


def test_old_journals_go(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEPT_RUNS", 3)
    for number in range(5):
        write(f"{number}.py")
        program("fix")
    assert len(journals()) == 3
    assert [program("undo", "-q").out for _ in range(4)] == [f"{number}.py: restored\n" for number in (4, 3, 2)] + [""]


def test_without_a_journal_the_fix_is_made_and_that_is_told(program: Program, state: Path) -> None:
    (state / "prepare-fix").write_text("in the way")
    write("a.py", "b.py")
    warning = "prepare-fix: warning: undo won't bring back 2 files, no journal could be kept: Not a directory\n"
    assert program("fix") == Done(0, "", f"{warning}Fixed 2 findings in 2 files\n")
    assert Path("a.py").read_text() == Path("b.py").read_text() == FIXED
    assert program("undo").status == 2


def test_journals_that_can_not_be_read_are_told(program: Program, state: Path) -> None:
    folder = Path(find_folder())
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    done = program("undo")
    assert (done.status, done.out) == (2, "")
    assert "Not a directory" in done.err
    assert "Traceback" not in done.err


def test_an_odd_name_stays_on_its_line(program: Program) -> None:
    write("a\nb.py")
    program("fix")
    assert program("undo", "-q").out == "a\\nb.py: restored\n"


def test_what_is_no_journal_is_passed_over(program: Program) -> None:
    write("a.py")
    program("fix")
    folder = Path(find_folder())
    (folder / "99999999999999999998-1.jsonl").mkdir()
    os.mkfifo(folder / "99999999999999999999-1.jsonl")
    assert program("undo", "-q").out == "a.py: restored\n"


def test_where_a_file_was_is_something_else_now(program: Program) -> None:
    write("a.py", "b.py")
    program("fix")
    for name in ("a.py", "b.py"):
        Path(name).unlink()
    Path("a.py").mkdir()
    os.mkfifo("b.py")
    done = program("undo")
    assert (done.status, done.out) == (2, "")
    assert "a.py: it is no regular file\n" in done.err
    assert "b.py: it is no regular file\n" in done.err


def test_what_a_link_leads_to_by_now_is_another_file(program: Program) -> None:
    write("a.py", "d/b.py")
    program("fix")
    Path("a.py").rename("other.py")
    Path("a.py").symlink_to("other.py")
    Path("d").rename("e")
    Path("d").symlink_to("e")
    done = program("undo")
    assert (done.status, done.out) == (2, "")
    assert "a.py: it is a link by now, or lies behind one\n" in done.err
    assert Path("other.py").read_text() == Path("e/b.py").read_text() == FIXED


def test_only_what_is_in_no_journal_is_lost(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that fills up meanwhile."""
    write("a.py", "b.py", "c.py", "d.py")
    record = journal.Journal.record

    def record_some(self: journal.Journal, path: str, before: bytes, after: bytes) -> None:
        if path == "c.py":
            raise OSError(28, "No space left on device")
        record(self, path, before, after)

    monkeypatch.setattr(journal.Journal, "record", record_some)
    assert "undo won't bring back 2 files, no journal could be kept: No space left on device" in program("fix").err
    assert program("undo", "-q").out == "a.py: restored\nb.py: restored\n"


def test_files_outside_are_named_in_full(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("here").mkdir()
    write("here/a.py", "b.py")
    program("fix")
    monkeypatch.chdir("here")
    assert program("undo", "-q").out == f"{tmp_path / 'b.py'}: restored\na.py: restored\n"


def test_a_path_that_is_no_text_is_restored(program: Program, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.py"
    with open(name, "w") as file:
        file.write(FIXABLE)
    assert program("fix").status == 0
    run = find_last_run(str(tmp_path))
    assert run is not None
    assert os.fsencode(run.changes[0].path) == name
    assert program("undo").status == 0
    with open(name) as file:
        assert file.read() == FIXABLE
