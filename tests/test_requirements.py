"""The releases of accelerate that a project asks for, and the messages that depend on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from prepare_fix import Settings, check_source
from prepare_fix.pipeline import check_document, do_file
from prepare_fix.sources.requirements import ANY, Releases, find_releases

PROJECT = '[project]\nname = "mine"\n'


def find(folder: Path, name: str, text: str) -> Releases:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (folder / ".git").mkdir(exist_ok=True)
    return find_releases(str(folder / "train.py"))


def admitted(releases: Releases) -> set[str]:
    """Which of a few releases are admitted; one is where something at it, and nothing only behind it, is."""
    known = ["0.25", "0.30", "1.0", "1.0.1", "1.6", "1.13.9", "1.14", "1.15"]
    numbers = {name: tuple(int(part) for part in name.removesuffix(".0").split(".")) for name in known}
    return {name for name, release in numbers.items() if releases.lowest <= release < releases.limit}


ALL = {"0.25", "0.30", "1.0", "1.0.1", "1.6", "1.13.9", "1.14", "1.15"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("accelerate>=1.14", {"1.14", "1.15"}),
        ("accelerate >= 1.14.0.dev0", {"1.14", "1.15"}),
        ("accelerate>1.13", {"1.13.9", "1.14", "1.15"}),
        ("accelerate<1.14.0", ALL - {"1.14", "1.15"}),
        ("accelerate<=1.14", ALL - {"1.15"}),
        ("accelerate==1.14", {"1.14"}),
        ("accelerate===1.14.0", {"1.14"}),
        ("accelerate==1.0.*", {"1.0", "1.0.1"}),
        ("accelerate~=1.0", ALL - {"0.25", "0.30"}),
        ("accelerate~=1.0.0", {"1.0", "1.0.1"}),
        ("accelerate>=0.30,<1.6,!=1.0", {"0.30", "1.0", "1.0.1"}),
        ("accelerate[testing] >= 1.14 ; python_version > '3.8'  # the guard", {"1.14", "1.15"}),
        ("accelerate (>=1.14)", {"1.14", "1.15"}),
        ("Accelerate==1.14.0 --hash=sha256:0123", {"1.14"}),
        ("accelerate==1.14.0 \\", {"1.14"}),
        ("accelerate==1.14.0rc1", {"1.14"}),
    ],
)
def test_a_requirement_bounds_the_releases(line: str, wanted: set[str], tmp_path: Path) -> None:
    assert admitted(find(tmp_path, "requirements.txt", f"torch\n{line}\ndatasets>=2\n")) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "accelerate\n",
        "accelerate @ git+https://example.org/accelerate@v1.14\n",
        "accelerate-extras>=1.14\nmy-accelerate>=1.14\naccelerate.x==1.14\n",
        "# accelerate>=1.14\n",
        "accelerate!=1.14\n",
        "accelerate>=1.14,<1.0\n",
        "accelerate>=one\naccelerate>=1.14\n",
        "accelerate==1.14+cpu\n",
        "accelerate==" + "9" * 5000 + "\n",
        "-r base.txt\ntorch>=2\n",
    ],
)
def test_what_sets_no_bound_or_is_odd_says_nothing(text: str, tmp_path: Path) -> None:
    assert find(tmp_path, "requirements.txt", text) == ANY


LATE, EARLY = {"1.14", "1.15"}, {"0.30"}


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("pyproject.toml", PROJECT + 'dependencies = ["torch", "accelerate>=1.14"]\n', LATE),
        ("pyproject.toml", PROJECT + '[project.optional-dependencies]\ntrain = ["accelerate>=1.14"]\n', LATE),
        ("pyproject.toml", '[dependency-groups]\ndev = [{include-group = "x"}, "accelerate>=1.14"]\n', LATE),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "^0.30"\n', EARLY),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "^1.14.0"\n', LATE),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "~1.14"\n', {"1.14"}),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "~1"\n', ALL - {"0.25", "0.30"}),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "1.14.0"\n', {"1.14"}),
        (
            "pyproject.toml",
            '[tool.poetry.group.t.dependencies]\naccelerate = {version = "^0.30", extras = []}\n',
            EARLY,
        ),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch\n    accelerate>=1.14\n", LATE),
        ("setup.py", 'setup(keywords="accelerate", install_requires=["torch", "accelerate>=1.14"])\n', LATE),
        ("requirements-train.txt", "accelerate>=1.14\n", LATE),
        ("requirements/train.txt", "accelerate>=1.14\n", LATE),
        (
            "uv.lock",
            '[[package]]\nname = "torch"\nversion = "2"\n[[package]]\nname = "accelerate"\nversion = "1.14.0"\n',
            {"1.14"},
        ),
        ("poetry.lock", '[[package]]\nname = "accelerate"\nversion = "0.30.0"\n', EARLY),
        ("Pipfile.lock", json.dumps({"default": {"accelerate": {"version": "==0.30.0"}}}), EARLY),
    ],
)
def test_files_that_state_a_requirement(name: str, text: str, wanted: set[str], tmp_path: Path) -> None:
    releases = find(tmp_path, name, text)
    assert admitted(releases) == wanted
    assert releases.stated.endswith(f" in {name}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "dependencies = [\n"),
        ("pyproject.toml", 'tool.tox.commands = [["pip", "install", "accelerate>=1.14"]]\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = ">=0.30 || >=1.14"\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = {git = "https://example.org"}\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\naccelerate = "*"\n'),
        ("setup.py", 'setup(install_requires=["accelerate>=1.14"]\n'),
        ("setup.py", 'setup(keywords=["accelerate"])\n'),
        ("Pipfile.lock", '{"default": {"accelerate": {"version": "==1.14"'),
        ("Pipfile.lock", "[" * 100_000 + '"accelerate"'),
    ],
)
def test_files_that_state_none_or_are_broken_say_nothing(name: str, text: str, tmp_path: Path) -> None:
    assert find(tmp_path, name, text) == ANY


def test_bytes_that_are_no_text_a_folder_and_a_huge_file_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"# accelerate \xff\n")
    (tmp_path / "setup.py").mkdir()
    (tmp_path / "requirements.txt").write_text("accelerate>=1.14\n" + "#" * 1_000_000)
    assert find_releases(str(tmp_path / "train.py")) == ANY


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    # Reading it would wait for ever.
    os.mkfifo(tmp_path / "requirements.txt")
    assert find_releases(str(tmp_path / "train.py")) == ANY


def test_all_that_a_file_admits_counts(tmp_path: Path) -> None:
    text = (
        PROJECT
        + 'dependencies = ["accelerate>=0.30,<1.0"]\n[project.optional-dependencies]\nnew = ["accelerate~=1.14"]\n'
    )
    releases = find(tmp_path, "pyproject.toml", text)
    assert admitted(releases) == ALL - {"0.25"}
    assert releases.stated == "accelerate>=0.30,<1.0 or accelerate~=1.14 in pyproject.toml"


def test_the_nearest_requirement_counts_and_none_outside_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    deep = project / "examples" / "text"
    deep.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("accelerate==1.15\n")
    (project / "setup.py").write_text("")
    assert find_releases(str(deep / "train.py")) == ANY
    (project / "requirements.txt").write_text("accelerate==1.6\n")
    assert admitted(find_releases(str(deep / "train.py"))) == {"1.6"}
    (project / "examples" / "requirements.txt").write_text("accelerate==1.0\n")
    assert admitted(find_releases(str(deep / "train.py"))) == {"1.0"}


def test_what_is_declared_comes_before_a_lock_and_a_lock_before_a_name_without_a_bound(tmp_path: Path) -> None:
    find(tmp_path, "uv.lock", '[[package]]\nname = "accelerate"\nversion = "1.14.0"\n')
    assert admitted(find(tmp_path, "pyproject.toml", PROJECT + 'dependencies = ["accelerate"]\n')) == {"1.14"}
    assert admitted(find(tmp_path, "requirements.txt", "accelerate~=1.0.0\n")) == {"1.0", "1.0.1"}


def test_a_requirement_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    for number, release in enumerate(["1.6", "1.14"], start=1):
        path.write_text(f"accelerate=={release}\n")
        # Not left to the clock, which may be coarse.
        import os

        os.utime(path, (number, number))
        assert admitted(find_releases(str(tmp_path / "train.py"))) == {release}


TWICE = """\
import torch
from accelerate import Accelerator

accelerator = Accelerator()
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer = accelerator.prepare(model, optimizer)
model, optimizer = accelerator.prepare(model, optimizer)
accelerator.backward(model(torch.ones(1, 1)).sum())
optimizer.step()
"""
APART = TWICE.replace(
    "model, optimizer = accelerator.prepare(model, optimizer)\n" * 2,
    "model = accelerator.prepare(model)\noptimizer = accelerator.prepare(optimizer)\n",
)
ALONE = TWICE.replace(
    "model, optimizer = accelerator.prepare(model, optimizer)\n" * 2, "model = accelerator.prepare(model)\n"
)
OTHER = TWICE.replace(
    "model, optimizer = accelerator.prepare(model, optimizer)\n" * 2, "optimizer = accelerator.prepare(optimizer)\n"
)
MODULE = (
    TWICE.replace("model, optimizer = accelerator.prepare(model, optimizer)\n", "", 1) + "print(model.module.weight)\n"
)


def message(folder: Path, text: str, requirement: str) -> str:
    (folder / "requirements.txt").write_text(f"accelerate{requirement}\n")
    (folder / "train.py").write_text(text)
    (finding,) = do_file(str(folder / "train.py"), Settings(), check_document).findings
    return finding.message


def test_prepared_twice_tells_of_the_releases_that_are_asked_for(tmp_path: Path) -> None:
    late, early, either = (message(tmp_path, TWICE, wanted) for wanted in (">=1.14", "==0.25.0", ">=0.25"))
    assert late.endswith("save_state writes a model more than once (accelerate>=1.14 in requirements.txt)")
    assert early.endswith("more than once, and DDP wraps it again (accelerate==0.25.0 in requirements.txt)")
    assert "before accelerate 1.14" in either
    assert check_source(TWICE)[0].message == either


@pytest.mark.parametrize("text", [APART, ALONE, OTHER, MODULE], ids=["PF105", "PF101", "PF102", "PF502"])
def test_no_word_of_fsdp2_where_it_is_not_there_yet(text: str, tmp_path: Path) -> None:
    later, before = (message(tmp_path, text, wanted) for wanted in ("<=1.6", "<1.6"))
    assert "under FSDP2" in later
    assert "under FSDP2" not in before
    assert check_source(text)[0].message == later


def test_split_prepare_names_the_release_that_needs_one_call(tmp_path: Path) -> None:
    told = message(tmp_path, APART, "<1.6")
    assert told.endswith("FSDP2, from accelerate 1.6 on, needs both in one call (accelerate<1.6 in requirements.txt)")


def test_nothing_is_looked_for_without_a_finding_that_depends_on_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        TWICE.replace(
            "model, optimizer = accelerator", "print(accelerator)\nmodel, optimizer = accelerator", 1
        ).replace("model, optimizer = accelerator.prepare(model, optimizer)\n", "", 1)
    )
    code = (
        "import sys; from prepare_fix.cli import main\n"
        "try: main(['check', 'train.py'])\n"
        "finally: print([name for name in sys.modules if 'requirements' in name or 'toml' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
