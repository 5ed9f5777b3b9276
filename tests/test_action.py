"""The GitHub action: its steps, run as a runner runs them, but for the installation."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
SCRIPT = """\
from accelerate import Accelerator
import torch

accelerator = Accelerator()
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer, model = accelerator.prepare(model, optimizer)
loss = model(torch.ones(2)).sum()
accelerator.backward(loss)
optimizer.step()
"""


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the step that checks, which finds the program installed, in a checkout with a mistake in a folder."""
    spec = importlib.util.spec_from_file_location("action_check", ROOT / "action" / "check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "install", lambda folder, package: sys.executable)
    checkout = tmp_path / "checkout"
    for name in ("ours", "a b; touch injected"):
        (checkout / "inner" / name).mkdir(parents=True)
        (checkout / "inner" / name / "a.py").write_text(SCRIPT)
    (tmp_path / "temporary" / "prepare-fix").mkdir(parents=True)
    monkeypatch.chdir(checkout / "inner")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(checkout))
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "temporary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    return module


def run(step: ModuleType, **variables: str) -> dict[str, str]:
    step.main({**os.environ, **{f"PREPARE_FIX_{name.upper()}": value for name, value in variables.items()}})
    lines = Path(os.environ["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_findings_are_annotated(step: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(step, paths="ours", sarif="false") == {"status": "1"}
    out, err = capfd.readouterr()
    assert out.startswith("::error title=PF201 permuted-targets,file=inner/ours/a.py,line=7,")
    assert err.startswith("1  PF201 [*] permuted-targets")


def test_a_log_is_written(step: ModuleType) -> None:
    outputs = run(step, paths="ours 'a b; touch injected'", sarif="true", args="--select PF2")
    assert outputs["status"] == "1"
    (told,) = json.loads(Path(outputs["sarif-file"]).read_text())["runs"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in told["results"]]
    assert places == ["inner/a%20b%3B%20touch%20injected/a.py", "inner/ours/a.py"]


def test_wrong_usage_leaves_no_log(step: ModuleType) -> None:
    old = Path(os.environ["RUNNER_TEMP"], "prepare-fix", "findings.sarif")
    old.write_text("{}")
    assert run(step, args="--nonsense", sarif="true") == {"status": "2"}


def test_paths_are_no_options(step: ModuleType) -> None:
    assert run(step, paths="--version") == {"status": "2"}


def test_inputs_that_are_no_words_are_told(tmp_path: Path) -> None:
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), "PREPARE_FIX_ARGS": "'"}
    command = [sys.executable, str(ROOT / "action" / "check.py")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (1, "::error title=prepare-fix::No closing quotation\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_installed(step: ModuleType) -> None:
    assert step.find_package({"PREPARE_FIX_VERSION": " 1.2.3 "}) == "prepare-fix==1.2.3"
    assert step.find_package({}) == str(ROOT)


def test_no_input_is_a_part_of_a_command() -> None:
    commands = re.findall(r"^ +run: (.+)$", ACTION, re.MULTILINE)
    assert len(commands) == ACTION.count("shell: bash") == 2
    assert not [command for command in commands if "${{" in command]


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_job_ends_with_the_status(status: int) -> None:
    command = re.findall(r"^ +run: (.+)$", ACTION, re.MULTILINE)[-1]
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], env={"STATUS": str(status)}, check=False)
    assert done.returncode == status
