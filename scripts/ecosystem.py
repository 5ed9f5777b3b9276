"""Run the rules over a folder of checkouts, and write one sorted list of findings with their diffs.

    python scripts/ecosystem.py CHECKOUTS > new.txt
    python scripts/ecosystem.py CHECKOUTS --against old.txt

The second prints what appeared (``+``) and what vanished (``-``) since ``old.txt`` was written, and has status 1 where
there is any. Nothing in the checkouts is changed.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from prepare_fix.edits import apply_edits
from prepare_fix.findings import Finding
from prepare_fix.pipeline import check_document, do_file
from prepare_fix.settings import Settings
from prepare_fix.sources.text import SourceText

KINDS = (".py", ".ipynb")
_HEAD = "== "


def find_scripts(root: Path) -> list[Path]:
    """Return the scripts and notebooks below ``root``, sorted, whatever its checkouts ignore."""
    found = (path for kind in KINDS for path in root.rglob(f"*{kind}"))
    return sorted(path for path in found if path.is_file() and ".git" not in path.parts)


def list_findings(root: Path, paths: Iterable[Path]) -> list[str]:
    """Return one entry for each finding and each file that could not be done, in the order of ``paths``."""
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(entries_of, root), paths, chunksize=32)
        return [entry for entries in found for entry in entries]


def entries_of(root: Path, path: Path) -> list[str]:
    """Return the entries of one file, in the order of its lines."""
    name = path.relative_to(root).as_posix()
    result = do_file(str(path), Settings(), check_document)
    entries = [] if result.error is None else [f"{_HEAD}{name} {result.error.kind}\n{result.error.message}\n"]
    if result.source is not None:
        ordered = sorted(result.findings, key=lambda finding: (finding.span, finding.rule, finding.message))
        entries += [_entry(name, result.source, finding) for finding in ordered]
    return entries


def _entry(name: str, source: SourceText, finding: Finding) -> str:
    line = source.position(finding.span.start).line
    lines = [f"{_HEAD}{name}:{line} {finding.rule} {finding.name} [{finding.status}]", finding.message]
    lines += [f"no fix: {finding.why_no_fix}"] if finding.fix is None else [finding.fix.title]
    return "\n".join([*lines, *_diff(source.text, finding)]) + "\n"


def _diff(text: str, finding: Finding) -> Iterator[str]:
    """Yield what the fix of one finding changes, without the names of the files."""
    if finding.fix is not None:
        after = apply_edits(text, finding.fix.edits)
        changes = difflib.unified_diff(text.splitlines(), after.splitlines(), lineterm="", n=2)
        yield from list(changes)[2:]


def read_entries(text: str) -> list[str]:
    """Return the entries of a list that was written earlier."""
    pieces = f"\n{text}".split(f"\n{_HEAD}")[1:]
    return [_HEAD + piece.rstrip("\n") + "\n" for piece in pieces]


def compare(old: Iterable[str], new: Iterable[str]) -> list[str]:
    """Return the entries that vanished, then those that appeared, each line with its sign."""
    before, after = Counter(old), Counter(new)
    signed = [("-", entry) for entry in (before - after).elements()]
    signed += [("+", entry) for entry in (after - before).elements()]
    return ["".join(f"{sign} {line}\n" for line in entry.splitlines()) for sign, entry in signed]


def main(arguments: list[str]) -> int:
    """Print the list, or with ``--against`` how it differs from an older one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="a folder that holds checkouts")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a list that was written earlier")
    options = parser.parse_args(arguments)
    entries = list_findings(options.folder, find_scripts(options.folder))
    if options.against is None:
        print("\n".join(entries), end="")
        return 0
    changes = compare(read_entries(options.against.read_text(encoding="utf-8")), entries)
    print("\n".join(changes), end="")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
