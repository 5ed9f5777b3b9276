"""Several processes: the same results, only where that pays, and a file that kills its process is one file in error."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from prepare_fix import pool
from prepare_fix.findings import FileResult
from prepare_fix.pipeline import check_document
from prepare_fix.pool import do_files
from prepare_fix.settings import Settings

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document

GOLDEN = Path(__file__).parent / "golden"
CANDIDATE = "import accelerate  # .prepare\n"

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


def paths_of(folder: Path, count: int, text: str = CANDIDATE) -> list[str]:
    for number in range(count):
        (folder / f"{number:03}.py").write_text(text.replace("NUMBER", str(number)))
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process pay from a few bytes on."""
    monkeypatch.setattr(pool, "FORKED_SHARE", 50)


def process_of(document: Document, settings: Settings) -> FileResult:
    """Tell which process did the work."""
    return FileResult(document.source.path, notes=(str(os.getpid()),))


def processes(paths: list[str], jobs: int) -> set[str]:
    results = list(do_files(paths, Settings(), process_of, jobs))
    assert sorted(result.path for result in results) == paths
    return {note for result in results for note in result.notes}


# --- where it pays -------------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize(
    ("files", "jobs", "expected"),
    [(20, 1, 1), (1, 4, 1), (2, 4, 1), (4, 4, 2), (20, 2, 2), (20, 3, 3)],
)
def test_as_many_processes_as_there_is_work_for(tmp_path: Path, files: int, jobs: int, expected: int) -> None:
    paths = paths_of(tmp_path, files)
    assert len(processes(paths, jobs)) <= expected
    if expected == 1:
        assert processes(paths, jobs) == {str(os.getpid())}
    else:
        assert str(os.getpid()) not in processes(paths, jobs)
    assert multiprocessing.active_children() == []


def test_small_trees_need_no_pool(tmp_path: Path) -> None:
    assert processes(paths_of(tmp_path, 50), 0) == {str(os.getpid())}


def test_without_fork_a_process_has_to_earn_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = paths_of(tmp_path, 20, CANDIDATE + "#" * 10_000)
    monkeypatch.setattr(pool, "_can_fork", lambda: False)
    assert processes(paths, 4) == {str(os.getpid())}
    monkeypatch.setattr(pool, "SPAWNED_SHARE", 50)
    results = list(do_files(paths, Settings(), check_document, 2))
    assert sorted(result.path for result in results) == paths
    assert [result.error for result in results if result.error] == []


def test_the_number_of_cores_is_that_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert pool._count_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert pool._count_cores() == 1


# --- the same results ----------------------------------------------------------------------------------------------


def tree(folder: Path) -> Path:
    """Copy the golden scripts, with some files that are in error and some that are nobody's business."""
    for before in sorted(GOLDEN.glob("pf*/*/before.py"))[::10]:
        (folder / f"{before.parent.parent.name}_{before.parent.name}.py").write_bytes(before.read_bytes())
    (folder / "broken.py").write_text(f"{CANDIDATE}x = (\n")
    (folder / "foreign.py").write_bytes(f"{CANDIDATE}# \xff\n".encode("latin-1"))
    (folder / "other.py").write_text("x = (\n")
    (folder / "dangling.py").symlink_to("nowhere")
    return folder


def run(folder: Path, *arguments: str, seed: str = "0") -> tuple[int, bytes, bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-m", "prepare_fix", *arguments], cwd=folder, capture_output=True, env=environment
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "--output-format", "json"],
        ["check", "--statistics"],
        ["diff", "--unsafe-fixes"],
    ],
)
def test_the_output_is_the_same_whatever_the_number(tmp_path: Path, arguments: list[str]) -> None:
    folder = tree(tmp_path)
    expected = run(folder, *arguments, "--jobs", "1")
    assert expected[0] == 2
    assert expected[1]
    for number, seed in (("2", "1"), ("5", "2"), ("0", "3")):
        assert run(folder, *arguments, "--jobs", number, seed=seed) == expected


def test_a_fix_is_the_same_whatever_the_number(tmp_path: Path) -> None:
    outcomes = []
    for number in ("1", "3"):
        folder = tmp_path / number
        folder.mkdir()
        told = run(tree(folder), "fix", "--unsafe-fixes", "--jobs", number)
        outcomes.append((told, {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}))
    assert outcomes[0] == outcomes[1]


# --- what goes wrong -----------------------------------------------------------------------------------------------


def die_sometimes(document: Document, settings: Settings) -> FileResult:
    if "DIE" in document.source.text:
        os._exit(7)
    return process_of(document, settings)


@needs_fork
@pytest.mark.usefixtures("small_shares")
def test_a_file_that_kills_its_process_is_in_error(tmp_path: Path) -> None:
    paths = paths_of(tmp_path, 12)
    for path in paths[3:5]:
        Path(path).write_text(f"{CANDIDATE}DIE\n")
    results = {result.path: result for result in do_files(paths, Settings(), die_sometimes, 2)}
    assert sorted(results) == paths
    for path, result in results.items():
        if path in paths[3:5]:
            assert result.error is not None
            assert result.error.kind == "internal"
            assert result.error.message == "the process that looked at it ended with status 7"
        else:
            assert result.error is None
    assert multiprocessing.active_children() == []


@needs_fork
@pytest.mark.usefixtures("small_shares")
def test_who_stops_listening_stops_the_work(tmp_path: Path) -> None:
    working = do_files(paths_of(tmp_path, 40), Settings(), process_of, 3)
    next(working)
    assert multiprocessing.active_children() != []
    working.close()
    assert multiprocessing.active_children() == []


@needs_fork
def test_processes_do_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    paths = paths_of(tmp_path, 4)
    script = (
        "import sys, test_jobs\nfrom prepare_fix import pool\npool.FORKED_SHARE = 50\n"
        "list(pool.do_files(sys.argv[1:], test_jobs.Settings(), test_jobs.count_slowly, 2))"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, *paths], cwd=Path(__file__).parent)
    pids = wait_for(tmp_path, 2)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while any(is_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in pids)


def count_slowly(document: Document, settings: Settings) -> FileResult:
    Path(f"{document.source.path}.pid").write_text(str(os.getpid()))
    time.sleep(0.5)
    return FileResult(document.source.path)


def wait_for(folder: Path, count: int) -> list[int]:
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.pid"))) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.1)
    return [int(path.read_text()) for path in folder.glob("*.pid")]


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return re.search(r"^State:\s+Z", status, re.MULTILINE) is None
