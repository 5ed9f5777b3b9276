"""What formats for programs say in plain words."""

from __future__ import annotations

from prepare_fix.findings import Finding


def advise(finding: Finding) -> str:
    """Return what is to be done: the fix, or why there is none."""
    if finding.fix is None:
        return f"no fix: {finding.why_no_fix or 'this needs a person'}"
    kind = "safe" if finding.fix.is_safe else "unsafe"
    return f"{kind} fix: {finding.fix.title}"


def name_cell(cell: int | None, line: int | None) -> str:
    """Return a place in a notebook, such as ``cell 3, line 2``; nothing elsewhere."""
    if cell is None:
        return ""
    return f"cell {cell}" if line is None else f"cell {cell}, line {line}"
