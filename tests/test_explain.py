"""The page of a rule on a terminal: laid out for its width, and through a pager where it is longer than the screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prepare_fix.reporting.page import format_page
from prepare_fix.reporting.screen import Screen

if sys.platform == "win32":
    pytest.skip("needs pseudo terminals", allow_module_level=True)

import fcntl
import pty
import struct
import termios

PAGE = """\
# PF101 model-without-optimizer

A paragraph of many words, which is folded in the source at another place than on
the screen.

## Example

```python
def train():

    return 1
```

## To silence it

- one finding: a comment at the end of its line, and some words more to have it longer than a line
- a project: settings
"""


def test_page_is_laid_out() -> None:
    assert format_page(PAGE, Screen(width=60)) == (
        "PF101 model-without-optimizer\n"
        "\n"
        "A paragraph of many words, which is folded in the source at\n"
        "another place than on the screen.\n"
        "\n"
        "Example\n"
        "\n"
        "    def train():\n"
        "\n"
        "        return 1\n"
        "\n"
        "To silence it\n"
        "\n"
        "- one finding: a comment at the end of its line, and some\n"
        "  words more to have it longer than a line\n"
        "- a project: settings\n"
    )


def test_page_with_colours() -> None:
    told = format_page(PAGE, Screen(width=60, is_coloured=True))
    assert told.startswith("\x1b[1mPF101 model-without-optimizer\x1b[0m\n")
    assert re.sub(r"\x1b\[[0-9;]*m", "", told).replace("\n    \n", "\n\n") == format_page(PAGE, Screen(width=60))
    assert "\x1b" in told[told.index("Example\x1b[0m") + 11 : told.index("return")]


def on_terminal(lines: int, *arguments: str, **variables: str) -> str:
    """Return what the program shows on a terminal of so many lines."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", **variables}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "LESS"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "prepare_fix", *arguments]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while piece := _read(leader):
            shown += piece
        assert process.wait(60) == 0
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux tells the end of a terminal as an error
        return b""


@pytest.fixture
def pager(tmp_path: Path) -> str:
    script = tmp_path / "pager"
    script.write_text('#!/bin/sh\necho "LESS=$LESS"\ncat\n')
    script.chmod(0o755)
    return str(script)


def test_what_is_longer_than_the_screen_goes_to_the_pager(pager: str) -> None:
    for arguments in (["explain", "PF101"], ["explain"]):
        told = on_terminal(24, *arguments, PAGER=pager)
        assert told.startswith("LESS=FRX\n")
        assert "PF101" in told


def test_what_fits_the_screen_does_not(pager: str) -> None:
    assert on_terminal(500, "explain", "PF101", PAGER=pager).startswith("\x1b[1mPF101 model-without-optimizer\x1b[0m\n")


def test_no_pager(pager: str) -> None:
    told = on_terminal(24, "explain", "--no-pager", PAGER=pager)
    assert told.startswith("PF001  unused-ignore: ")
    assert max(map(len, told.split("\n"))) <= 80
