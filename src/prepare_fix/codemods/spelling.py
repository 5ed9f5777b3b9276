"""How the file itself writes a place: a rule knows ``loaders['train']``, not the quotes."""

from __future__ import annotations

import ast
import re

from prepare_fix.codemods.blocks import parse
from prepare_fix.sources.text import SourceText, Span


def spell(source: SourceText, place: str) -> str:
    """Return ``place`` as it is first written in the file, or as it comes where it has no strings or is not there."""
    if not re.search("['\"]", place):
        return place
    wanted = ast.parse(place, mode="eval").body
    nodes = (node for node in ast.walk(parse(source.text)) if isinstance(node, ast.expr) and type(node) is type(wanted))
    same = [_to_span(source, node) for node in nodes if ast.unparse(node) == ast.unparse(wanted)]
    found = source.slice(min(same)) if same else place
    return found if "\n" not in found and "\r" not in found else place


def _to_span(source: SourceText, node: ast.expr) -> Span:
    end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    return Span(source.offset(node.lineno, node.col_offset), end)
