"""``scripts/ecosystem.py``: one list of all findings with their diffs, and how two lists differ."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import ecosystem
import pytest

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "scripts" / "ecosystem.py"


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """Two checkouts: one script that can be mended, one that is right, one that can't be parsed."""
    golden = HERE / "golden"
    for name, source in [
        ("b/train.py", golden / "pf101_model_without_optimizer" / "exploded_call_with_scheduler" / "before.py"),
        ("a/right.py", golden / "no_change" / "starred_loaders.py"),
    ]:
        path = tmp_path / "checkouts" / name
        path.parent.mkdir(parents=True)
        shutil.copy(source, path)
    (tmp_path / "checkouts" / "a" / "broken.py").write_text("accelerator.prepare(\n", encoding="utf-8")
    return tmp_path / "checkouts"


def entries(root: Path) -> list[str]:
    return [entry for path in ecosystem.find_scripts(root) for entry in ecosystem.entries_of(root, path)]


def test_list_is_sorted_and_has_diffs(checkouts: Path) -> None:
    broken, finding = entries(checkouts)
    assert broken.startswith("== a/broken.py syntax\n")
    head, message, title, *diff = finding.splitlines()
    assert head == "== b/train.py:26 PF101 model-without-optimizer [fixable]"
    assert "never goes through prepare" in message
    assert title == "Prepare `optimizer` in the same call"
    assert [line for line in diff if line.startswith(("+", "-"))] == [
        "-    model, train_dataloader, lr_scheduler = accelerator.prepare(",
        "+    model, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(",
        "+        optimizer,",
    ]


def test_list_reads_back_as_it_was_written() -> None:
    """Some diffs end with an empty line of context."""
    listed = entries(HERE / "golden" / "pf101_model_without_optimizer")
    assert any(entry.endswith("\n \n") for entry in listed)
    assert ecosystem.read_entries("\n".join(listed)) == listed


def run(*arguments: object) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_what_appeared_and_vanished(checkouts: Path, tmp_path: Path) -> None:
    status, listed = run(checkouts)
    assert status == 0
    assert ecosystem.read_entries(listed) == entries(checkouts)
    old = tmp_path / "old.txt"
    old.write_text(listed, encoding="utf-8")
    assert run(checkouts, "--against", old) == (0, "")

    (checkouts / "a" / "broken.py").unlink()
    shutil.copy(checkouts / "b" / "train.py", checkouts / "a" / "again.py")
    status, changes = run(checkouts, "--against", old)
    assert status == 1
    assert changes.startswith("- == a/broken.py syntax\n")
    assert "\n+ == a/again.py:26 PF101 model-without-optimizer [fixable]\n" in changes
    assert "b/train.py" not in changes
