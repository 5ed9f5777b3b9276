"""A review in a real terminal of 80 by 24 characters, as it looks over ssh. Needs tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

EXAMPLES = Path(__file__).parent.parent / "examples"
PATIENCE = 60.0  # seconds


class Terminal:
    """A shell in tmux, in ``folder``."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
        }
        self._environment.pop("TMUX", None)
        self._run("new-session", "-d", "-x", "80", "-y", "24", "-c", str(folder), "sh")

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        return done.stdout

    def type(self, text: str, *, enter: bool = True) -> None:
        """Type ``text``, which is not taken for the names of keys."""
        self._run("send-keys", "-l", text)
        if enter:
            self.press("Enter")

    def press(self, key: str) -> None:
        self._run("send-keys", key)

    def screen(self) -> list[str]:
        """Return what is on the screen, without the empty rest."""
        return self._run("capture-pane", "-p").rstrip("\n").split("\n")

    def history(self) -> str:
        """Return all that was ever on the screen; what was wrapped is one line again."""
        return self._run("capture-pane", "-p", "-J", "-S", "-")

    def wait(self, end: str, line: str = "") -> list[str]:
        """Return the screen once its last line ends with ``end``, and there is ``line`` on it too."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines = self.screen()
            if lines[-1].rstrip().endswith(end) and (not line or line in lines):
                return lines
            time.sleep(0.05)
        pytest.fail("\n".join(["the screen never got there:", *self.screen()]))

    def close(self) -> None:
        self._run("kill-server")


@pytest.fixture
def terminal(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    # A short path: that of a socket must not be long.
    opened = Terminal(tmp_path, tmp_path_factory.mktemp("t") / "s")
    try:
        # Not every shell takes its prompt from outside.
        opened.type("PS1='ready> '; clear")
        opened.wait("ready>")
        yield opened
    finally:
        opened.close()


QUESTION = "[y,n,a,d,e,u,q,?]?"


def start(terminal: Terminal, *arguments: str) -> list[str]:
    terminal.type(f"{sys.executable} -m prepare_fix review examples {' '.join(arguments)}")
    return terminal.wait(QUESTION)


def read(folder: Path, name: str) -> str:
    return (folder / "examples" / f"{name}.py").read_text()


def test_a_review_from_question_to_question(terminal: Terminal, tmp_path: Path) -> None:
    screen = start(terminal)
    assert screen[-1] == f"(1/5) Make this fix {QUESTION}"
    assert any(line.startswith("+    model, optimizer, train_loader") for line in screen)
    terminal.type("y")
    screen = terminal.wait(f"(2/5) Make this fix {QUESTION}")
    assert "+encoder, optimizer, loader = accelerator.prepare(encoder, optimizer, loader)" in screen
    terminal.type("u")
    terminal.wait(f"(1/5) Make this fix {QUESTION}")
    terminal.type("?")
    terminal.wait(QUESTION, "q  stop here: what was taken is made, all else is left")
    terminal.type("y")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    assert read(tmp_path, "classifier") == (EXAMPLES / "classifier.py").read_text(), "nothing is written yet"
    terminal.type("n")
    terminal.wait(f"(3/5) Make this fix {QUESTION}")
    terminal.type("q")
    screen = terminal.wait("ready>")
    assert screen[-4:-1] == [
        f"(3/5) Make this fix {QUESTION} q",
        "Made 1 fix in 1 file, 1 left, 3 not looked at",
        "prepare-fix undo takes them back",
    ]
    assert "accelerator.prepare(model, optimizer, train_loader, eval_loader)" in read(tmp_path, "classifier")
    assert read(tmp_path, "finetune") == (EXAMPLES / "finetune.py").read_text()
    subprocess.run([sys.executable, "-m", "py_compile", str(tmp_path / "examples" / "classifier.py")], check=True)


def test_no_line_is_wider_than_the_terminal(terminal: Terminal) -> None:
    start(terminal)
    terminal.type("?")
    terminal.wait(QUESTION, "?  this help")
    terminal.type("a")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.type("q")
    terminal.wait("ready>")
    shown = terminal.history().split("prepare_fix review", 1)[1].splitlines()[1:]
    assert len(shown) > 60
    assert [line for line in shown if len(line.rstrip()) > 80] == []


@pytest.mark.parametrize(("answer", "made"), [("y", True), ("n", False), ("", False)])
def test_ctrl_c_asks_and_leaves_all_as_it_was(terminal: Terminal, tmp_path: Path, answer: str, made: bool) -> None:
    start(terminal)
    terminal.type("y")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.press("C-c")
    terminal.wait("Make what you took so far [y,N]?")
    terminal.type(answer)
    screen = terminal.wait("ready>")
    if made:
        assert "Made 1 fix in 1 file, 4 not looked at" in screen
    else:
        assert screen[-2] == "prepare-fix: interrupted: nothing was written"
    assert (read(tmp_path, "classifier") != (EXAMPLES / "classifier.py").read_text()) is made
    terminal.type("echo status $?")
    assert f"status {1 if made else 130}" in terminal.wait("ready>")


def test_ctrl_c_twice(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal)
    terminal.type("y")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.press("C-c")
    terminal.wait("Make what you took so far [y,N]?")
    terminal.press("C-c")
    assert "prepare-fix: interrupted: nothing was written" in terminal.wait("ready>")
    assert read(tmp_path, "classifier") == (EXAMPLES / "classifier.py").read_text()


def test_ctrl_c_with_nothing_taken_asks_nothing(terminal: Terminal) -> None:
    start(terminal)
    terminal.press("C-c")
    assert terminal.wait("ready>")[-2] == "prepare-fix: interrupted: nothing was written"


def test_ctrl_d_is_q(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal)
    terminal.type("y")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.press("C-d")
    assert "Made 1 fix in 1 file, 4 not looked at" in terminal.wait("ready>")
    assert read(tmp_path, "classifier") != (EXAMPLES / "classifier.py").read_text()


def test_single_keys(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, "--single-key")
    terminal.type("y", enter=False)
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.press("Up")
    terminal.wait(f"(2/5) Make this fix {QUESTION}", "y  make this fix")
    terminal.press("C-d")
    assert "Made 1 fix in 1 file, 4 not looked at" in terminal.wait("ready>")


def test_an_editor_on_the_same_terminal(terminal: Terminal, tmp_path: Path) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('read -p "edit: " line </dev/tty; sed -i "s/encoder, optimizer, loader = /$line = /" "$1"\n')
    terminal.type(f"export VISUAL='bash {script}'")
    terminal.wait("ready>")
    start(terminal)
    terminal.type("n")
    terminal.wait(f"(2/5) Make this fix {QUESTION}")
    terminal.type("e")
    terminal.wait("edit:")
    terminal.type("encoder, optimizer, loader")
    terminal.wait(QUESTION)
    terminal.type("e")
    terminal.wait("edit:")
    terminal.type("(encoder, optimizer, loader)")
    screen = terminal.wait(f"(2/5) Make this fix {QUESTION}")
    assert "+(encoder, optimizer, loader) = accelerator.prepare(encoder, optimizer, loader)" in screen
    terminal.type("y")
    terminal.wait(f"(3/5) Make this fix {QUESTION}")
    terminal.type("q")
    terminal.wait("ready>")
    assert "\n(encoder, optimizer, loader) = accelerator.prepare(" in read(tmp_path, "finetune")
