"""Progress, Ctrl-C, and readers that go away: seen from outside, on a terminal where that matters."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from program import Program, heed_signals
from stand_in import PATIENCE, command, environment

from prepare_fix.commands import progress

CANDIDATE = "import accelerate  # .prepare\n"


def write(folder: Path, count: int, text: str) -> None:
    for number in range(count):
        (folder / f"{number:03}.py").write_text(f"{CANDIDATE}{text}\n")


def start(folder: Path, arguments: Sequence[str], **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command(*arguments), cwd=folder, env=environment(), **{"preexec_fn": heed_signals, **options}
    )


def read_terminal(master: int, seconds: float, until: bytes = b"") -> bytes:
    """Return what comes on a terminal within some seconds, or up to ``until``."""
    seen = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (until and until in seen):
        if select.select([master], [], [], 0.1)[0]:
            try:
                chunk = os.read(master, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
    return seen


# --- progress ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_progress_is_shown_on_a_terminal_and_cleared(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, 6, "x = safe  # SLOW")
    master, terminal = pty.openpty()
    process = start(tmp_path, ["check", "--jobs", jobs], stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    out, _ = process.communicate(timeout=60)
    seen = read_terminal(master, 1)
    os.close(master)
    assert process.returncode == 1
    assert b"\x1b" not in out
    assert b"prepare-fix" not in out.replace(b"`prepare-fix fix`", b"")
    counts = re.findall(rb"\r\x1b\[Kprepare-fix: (\d) of 6 files looked at", seen)
    assert counts == sorted(counts)
    assert len(counts) >= 2
    assert seen.endswith(b"\r\x1b[K")


@pytest.mark.parametrize(
    ("arguments", "variables"), [(["check", "-q"], {}), (["check"], {"TERM": "dumb"}), (["check"], {PATIENCE: "60"})]
)
def test_progress_is_not_always_shown(tmp_path: Path, arguments: list[str], variables: dict[str, str]) -> None:
    write(tmp_path, 2, "x = safe  # SLOW")
    master, terminal = pty.openpty()
    subprocess.run(
        command(*arguments), cwd=tmp_path, env=environment(**variables), stdout=subprocess.PIPE, stderr=terminal
    )
    os.close(terminal)
    assert read_terminal(master, 0.5) == b""
    os.close(master)


def test_progress_is_for_terminals(tmp_path: Path) -> None:
    write(tmp_path, 2, "x = 1  # SLOW")
    process = start(tmp_path, ["check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert (out, err) == (b"2 files checked, no findings\n", b"")


def test_progress_counts() -> None:
    counting = progress.Progress("looked at", 1, True)
    with counting:
        assert str(counting) == "0 of 1 file looked at"
        counting.advance()
    assert str(counting) == "1 of 1 file looked at"


# --- signals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "jobs", "number"),
    [
        ("check", "1", signal.SIGINT),
        ("check", "3", signal.SIGINT),
        ("fix", "3", signal.SIGINT),
        ("fix", "1", signal.SIGTERM),
        ("check", "3", signal.SIGTERM),
        ("check", "3", signal.SIGHUP),
    ],
)
def test_a_signal_stops_the_work_at_once(tmp_path: Path, verb: str, jobs: str, number: signal.Signals) -> None:
    write(tmp_path, 100, "x = safe  # SLOW")
    master, terminal = pty.openpty()
    process = start(tmp_path, [verb, "--jobs", jobs], stdout=subprocess.PIPE, stderr=terminal, start_new_session=True)
    os.close(terminal)
    read_terminal(master, 60, b"of 100 files looked at")
    # As a terminal does it: all processes of the group get it.
    begin = time.monotonic()
    os.killpg(process.pid, number)
    out, _ = process.communicate(timeout=60)
    seen = read_terminal(master, 1).replace(b"\r\n", b"\n")
    os.close(master)
    assert time.monotonic() - begin < 8
    assert process.returncode == 128 + number
    assert out == b""
    assert b"Traceback" not in seen
    last = seen.split(b"\x1b[K")[-1].strip()
    assert re.fullmatch(rb"prepare-fix: interrupted: \d+ of 100 files looked at", last)
    assert {path.read_text() for path in tmp_path.iterdir()} == {f"{CANDIDATE}x = safe  # SLOW\n"}
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    write(tmp_path, 5, "x = 1  # SLOW")
    process = subprocess.Popen(
        command("check", "--jobs", "1"), cwd=tmp_path, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=60) == (b"5 files checked, no findings\n", b"")


def test_an_interrupted_fix_tells_what_was_written(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    from prepare_fix import apply

    for number in range(5):
        Path(f"{number}.py").write_text(f"{CANDIDATE}x = safe\n")
    replace_file = apply.replace_file

    def replace_some(path: str, before: bytes, after: bytes) -> None:
        if path == "3.py":
            raise KeyboardInterrupt
        replace_file(path, before, after)

    monkeypatch.setattr(apply, "replace_file", replace_some)
    done = program("fix")
    assert (done.status, done.out) == (130, "")
    assert done.err.strip() == "prepare-fix: interrupted: 3 of 5 files written (prepare-fix undo takes them back)"
    assert [Path(f"{number}.py").read_text().split()[-1] for number in range(5)] == ["good"] * 3 + ["safe"] * 2
    assert program("undo").out == "0.py: restored\n1.py: restored\n2.py: restored\n"


# --- output that can't be written ----------------------------------------------------------------------------------

CASES = [
    ["check"],
    ["check", "--output-format", "json"],
    ["diff"],
    ["fix"],
    ["review"],
    ["config"],
    ["--help"],
    ["--version"],
]


@pytest.mark.parametrize("arguments", CASES, ids=[" ".join(case) for case in CASES])
def test_a_reader_that_goes_away_is_no_error_of_ours(tmp_path: Path, arguments: list[str]) -> None:
    # More than fits into a pipe, so that the program is still writing.
    write(tmp_path, 40, f"x = safe  # {'long ' * 400}\n" + "y = unfixable\n" * 12)
    process = start(tmp_path, arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr as stream:
        err = stream.read()
    process.wait(timeout=60)
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err
    assert process.returncode in (0, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", CASES, ids=[" ".join(case) for case in CASES])
def test_a_full_disk_behind_the_output_is_told(tmp_path: Path, arguments: list[str]) -> None:
    write(tmp_path, 2, "x = safe, stays\n")
    with open("/dev/full", "w") as full:
        process = start(tmp_path, arguments, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.splitlines()[-1] == b"prepare-fix: error: can't write the output: No space left on device"
    assert b"Traceback" not in err
    assert b"Exception" not in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("streams", ["2>/dev/full", ">/dev/full 2>/dev/full"])
def test_a_full_disk_behind_standard_error_leaves_its_mark_in_the_status(tmp_path: Path, streams: str) -> None:
    write(tmp_path, 2, "x = safe, stays\n")
    script = ["sh", "-c", f'"$@" {streams}', "sh", *command("fix")]
    assert subprocess.run(script, cwd=tmp_path, env=environment(), capture_output=True).returncode == 2
    assert "good" in (tmp_path / "001.py").read_text()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("verb", ["check", "fix"])
def test_closed_streams(tmp_path: Path, verb: str, closed: str) -> None:
    write(tmp_path, 2, "x = safe")
    script = ["sh", "-c", f'"$@" {closed}', "sh", *command(verb, "000.py")]
    done = subprocess.run(script, cwd=tmp_path, env=environment(), capture_output=True)
    assert done.returncode == (0 if verb == "fix" else 1)
    assert b"Traceback" not in done.stdout + done.stderr
    assert ("good" in (tmp_path / "000.py").read_text()) is (verb == "fix")
