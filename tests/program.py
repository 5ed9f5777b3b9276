"""The program as a user meets it, run in this process so that the stand-ins of ``fakes`` are there."""

from __future__ import annotations

import io
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import fakes
import pytest

from prepare_fix.cli import main


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


class Program:
    def __init__(self, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capture = capsysbinary
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Done:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main(arguments)
        out, err = self._capture.readouterr()
        return Done(status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Program:
    fakes.install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "LC_ALL", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return Program(capsysbinary, monkeypatch)


def heed_signals() -> None:
    """Take signals as a program of a terminal does: what runs in the background begins with some of them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
