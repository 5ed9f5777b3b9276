"""The golden scripts in every shape that a file can have, and changes told by line and column applied to it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

from prepare_fix import Settings
from prepare_fix.findings import FileResult
from prepare_fix.pipeline import check_document, do_bytes

GOLDEN = Path(__file__).parent / "golden"
_LINE_END = re.compile(r"\r\n|\r|\n")
Change = tuple[tuple[int, int], tuple[int, int], str]
"""Begin and end as line and column, both from 1, and what takes the place."""


def notebook(script: str) -> bytes:
    """Return a script as a notebook with a cell for each statement, some of them stored as one string."""
    starts = [node.lineno - 1 for node in ast.parse(script).body] if script else []
    lines = script.splitlines(keepends=True)
    borders = [0, *starts[1:], len(lines)]
    codes = ["".join(lines[one:two]) for one, two in pairwise(borders)]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# \N{PILE OF POO}\n"]}]
    for number, code in enumerate(codes):
        source = code.removesuffix("\n")
        cells.append(
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": source if number % 3 == 0 else source.splitlines(keepends=True),
            }
        )
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def markdown(script: str) -> bytes:
    """Return a script as the item of a list, in whose block all lines have a margin, empty ones a part of it."""
    lines = [f"    {line}" if line.strip() else "  \n" for line in script.splitlines(keepends=True)]
    return f"- Train it:\n\n    ```python\n{''.join(lines)}    ```\n".encode()


SHAPES = {
    "a.py": lambda script: script.encode(),
    "bom.py": lambda script: b"\xef\xbb\xbf" + script.replace("\n", "\r\n").encode(),
    "cr.py": lambda script: script.replace("\n", "\r").encode(),
    "a.ipynb": notebook,
    "a.md": markdown,
}


@cache
def checked(shape: str) -> tuple[FileResult, ...]:
    """Return what is found in all golden scripts of one shape."""
    results = []
    for path in sorted(GOLDEN.glob("pf*/*/before.py")):
        raw = SHAPES[shape](path.read_bytes().decode())
        name = f"{path.parent.parent.name}/{path.parent.name}/{shape}"
        results.append(do_bytes(raw, name, Settings(), check_document))
    return tuple(result for result in results if result.findings)


def offset(text: str, line: int, column: int) -> int:
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    return starts[line - 1] + column - 1


def apply(text: str, changes: Iterable[Change]) -> str:
    """Return ``text`` with the changes made, from the last to the first."""
    for begin, end, new in sorted(changes, reverse=True):
        first, stop = offset(text, *begin), offset(text, *end)
        assert 0 <= first <= stop <= len(text)
        text = text[:first] + new + text[stop:]
    return text
