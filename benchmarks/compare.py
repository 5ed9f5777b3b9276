"""Run prepare-fix beside other tools on whole trees, in turns, and print the ratios of their CPU times."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from measuring import Cost, middle, run, worst_status

ARGUMENTS_AT_ONCE = 3000


@dataclass(frozen=True)
class Tool:
    """A command that reads a tree: given as a folder, or as a list of its files, of which a sample may have to do."""

    name: str
    command: tuple[str, ...]
    takes_files: bool = False
    is_sampled: bool = False

    def measure(self, tree: Path, files: Sequence[Path], share: int) -> Cost:
        """Return what a run over ``tree`` costs; that of a sample, every ``share``-th file, is scaled up by lines.

        The start of the tool is not scaled.
        """
        if not self.takes_files:
            return run([*self.command, str(tree)])
        chosen = files[::share] if self.is_sampled else files
        batches = [chosen[start : start + ARGUMENTS_AT_ONCE] for start in range(0, len(chosen), ARGUMENTS_AT_ONCE)]
        costs = [run([*self.command, *map(str, batch)]) for batch in batches]
        seconds = sum(cost.seconds for cost in costs)
        if self.is_sampled:
            start = self._measure_start()
            seconds = start + max(seconds - start, 0) * count_lines(files) / max(count_lines(chosen), 1)
        return Cost(seconds, max(cost.mebibytes for cost in costs), worst_status(costs))

    def _measure_start(self) -> float:
        with tempfile.NamedTemporaryFile(suffix=".py") as empty:
            return run([*self.command, empty.name]).seconds


def find_tools(prepare_fix: str) -> list[Tool]:
    """Return the tools that are installed; prepare-fix comes first."""
    python = sys.executable
    tools = [
        Tool("prepare-fix check", (*prepare_fix.split(), "check", "--isolated")),
        Tool("prepare-fix diff", (*prepare_fix.split(), "diff", "--isolated")),
        Tool("ruff, one rule, no cache", ("ruff", "check", "--isolated", "--no-cache", "--select", "F401")),
        Tool("ast-grep, one pattern", ("ast-grep", "run", "--lang", "py", "--pattern", "$A.prepare($$$)")),
        Tool("django-upgrade --check", ("django-upgrade", "--target-version", "5.2", "--check"), takes_files=True),
        Tool(
            "libcst, no-op codemod",
            (python, "-m", "libcst.tool", "codemod", "--no-format", "--jobs=1", "noop.NOOPCommand"),
            takes_files=True,
            is_sampled=True,
        ),
    ]
    found = []
    for tool in tools:
        # A tool beside this interpreter counts, whether or not its folder is on the path.
        path = os.pathsep.join([str(Path(python).parent), os.environ.get("PATH", "")])
        program = shutil.which(tool.command[0], path=path)
        is_module = tool.command[1:2] == ("-m",)
        if program is None or (is_module and find_spec(tool.command[2].split(".")[0]) is None):
            print(f"not installed, left out: {tool.name}", file=sys.stderr)
        else:
            found.append(replace(tool, command=(program, *tool.command[1:])))
    return found


def count_lines(files: Sequence[Path]) -> int:
    """Return how many lines ``files`` have together."""
    return sum(file.read_bytes().count(b"\n") for file in files)


def compare(tree: Path, tools: Sequence[Tool], rounds: int, share: int) -> None:
    """Run all tools in turns and print a table."""
    files = sorted(file for file in tree.rglob("*.py") if file.is_file())
    print(f"\n{tree}: {len(files)} Python files, {count_lines(files)} lines; medians of {rounds} rounds")
    costs: dict[str, list[Cost]] = {tool.name: [] for tool in tools}
    for _ in range(rounds):
        for tool in tools:
            # What takes minutes is not the place to win seconds: one round tells enough.
            if not (tool.is_sampled and costs[tool.name]):
                costs[tool.name].append(tool.measure(tree, files, share))
    own = middle(costs[tools[0].name])
    print(f"{'':28}{'CPU s':>9}{'MiB':>7}{'check is':>12}")
    for tool in tools:
        cost = middle(costs[tool.name])
        ratio = "" if tool.name.startswith("prepare-fix") else f"{own.seconds / cost.seconds:>11.3f}x"
        mark = "~" if tool.is_sampled else " "
        failed = f"  FAILED with status {cost.status}" if cost.has_failed else ""
        print(f"{tool.name:28}{mark}{cost.seconds:>8.2f}{cost.mebibytes:>7.0f}{ratio}{failed}")


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", type=int, default=25, help="give LibCST every N-th file (default: 25)")
    parser.add_argument("--prepare-fix", default="prepare-fix", help="the command to measure")
    options = parser.parse_args()
    tools = find_tools(options.prepare_fix)
    for tree in options.trees:
        compare(tree, tools, options.rounds, options.sample)


if __name__ == "__main__":
    main()
