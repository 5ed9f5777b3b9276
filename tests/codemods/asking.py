"""Repairs for a piece of source, asked for by what the source says there."""

from __future__ import annotations

import ast

from prepare_fix.codemods import render
from prepare_fix.edits import apply_edits
from prepare_fix.repairs import Repair, Site
from prepare_fix.sources.text import SourceText, Span

PREPARES = {"prepare", "prepare_model", "prepare_optimizer", "prepare_data_loader", "prepare_scheduler"}


def expression(text: str, code: str, nth: int = 0) -> Span:
    """Return where ``code`` stands for the ``nth`` time."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(code, start + 1)
    return Span(start, start + len(code))


def statement(text: str, beginning: str, nth: int = 0) -> Span:
    """Return the span of the ``nth`` statement whose code starts with ``beginning``."""
    source = SourceText(text)
    spans = sorted(span_of(source, node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt))
    return [span for span in spans if source.slice(span).startswith(beginning)][nth]


def sites(text: str) -> list[Site]:
    """Return the calls of ``prepare`` and its kin, from the top down."""
    source = SourceText(text)
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            for call in (
                n for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr) for n in ast.walk(child)
            ):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in PREPARES:
                    found.append(Site(span_of(source, call), span_of(source, node)))
    return sorted(found, key=lambda site: site.call)


def rewrite(text: str, *repairs: Repair) -> str:
    """Return ``text`` with ``repairs`` made; it must be Python before and after."""
    ast.parse(text)
    fixed = apply_edits(text, render(SourceText(text), repairs))
    ast.parse(fixed)
    return fixed


def span_of(source: SourceText, node: ast.stmt | ast.expr) -> Span:
    """Return the span of a node of the file."""
    end = source.offset(node.end_lineno or 0, node.end_col_offset or 0)
    return Span(source.offset(node.lineno, node.col_offset), end)
