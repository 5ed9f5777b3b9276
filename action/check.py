"""The step of action.yml that checks: installs the program, runs it, and tells the later steps what came of it.

It ends well whatever was found, so that a log can be uploaded before the job fails.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path


def main(environment: Mapping[str, str]) -> None:
    """Do what the variables in ``environment`` ask for; those of the runner say where results go."""
    folder = Path(environment["RUNNER_TEMP"]) / "prepare-fix"
    log = folder / "findings.sarif"
    arguments = find_arguments(environment, log)
    python = install(folder / "venv", find_package(environment))
    log.unlink(missing_ok=True)
    status = subprocess.run([python, "-m", "prepare_fix", *arguments], check=False).returncode
    with open(environment["GITHUB_OUTPUT"], "a", encoding="utf-8") as outputs:
        print(f"status={status}", file=outputs)
        # Wrong usage leaves no log.
        if log.exists():
            print(f"sarif-file={log}", file=outputs)


def find_package(environment: Mapping[str, str]) -> str:
    """Return what to install: the release that was asked for, else the tree that this action is part of."""
    version = environment.get("PREPARE_FIX_VERSION", "").strip()
    return f"prepare-fix=={version}" if version else str(Path(__file__).resolve().parents[1])


def install(folder: Path, package: str) -> str:
    """Install ``package`` into a virtual environment at ``folder``, and return its Python."""
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([python, *quietly, package], check=True)
    return python


def find_arguments(environment: Mapping[str, str], log: Path) -> list[str]:
    """Return the command line, in which the inputs are words, never options of this step."""
    arguments = ["check", *shlex.split(environment.get("PREPARE_FIX_ARGS", "")), "--statistics"]
    if environment.get("PREPARE_FIX_SARIF") == "true":
        arguments += ["--output-format", "sarif", "--output-file", str(log)]
    else:
        arguments += ["--output-format", "github"]
    return [*arguments, "--", *shlex.split(environment.get("PREPARE_FIX_PATHS", "."))]


if __name__ == "__main__":
    try:
        main(os.environ)
    except (ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"::error title=prepare-fix::{error}")
