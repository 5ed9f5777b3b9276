"""Scripts put into notebooks and into Markdown, for the tests that look at them there."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

BROKEN = "```python\nfrom accelerate import Accelerator\nx = (\n```\n"


def in_markdown(code: str) -> str:
    """Return a page with ``code`` in a list, between blocks that can't be parsed."""
    block = "".join(f"    {line}" if line.strip() else line for line in code.splitlines(keepends=True))
    return f"{BROKEN}\n- item\n\n    ```py\n{block}    ```\n\n{BROKEN}"


def in_notebook(cells: list[str]) -> str:
    """Return a notebook with ``cells`` of code."""
    return json.dumps(
        {
            "cells": [
                {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(keepends=True)}
                for cell in cells
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 4,
        },
        indent=1,
    )


def split_statements(code: str) -> Iterator[str]:
    """Yield ``code`` in pieces that begin with a statement each, without the line ends between them."""
    lines = code.splitlines(keepends=True)
    starts = [
        min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]) - 1
        for node in ast.parse(code).body
    ]
    for start, stop in zip([0, *starts[1:]], [*starts[1:], len(lines)], strict=True):
        yield "".join(lines[start:stop]).rstrip("\n")
