"""How a division of the loss by the number of micro batches is taken back."""

from __future__ import annotations

import ast

from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropDivision, DropStatement, Repair, ReplaceExpression

_BINDS_TIGHTLY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def undo_division(trace: Trace, division: ast.AST, count: ast.expr) -> Repair | None:
    """Return what leaves the dividend of ``division``; None where it is divided in a way that can't be taken back, or
    by another number than ``count``, the one that the accelerator divides by."""
    if not trace.is_same_count(division, count):
        return None
    if isinstance(division, ast.AugAssign):
        return DropStatement(trace.span(division))
    if isinstance(division, ast.BinOp):
        return _drop_assignment(trace, division, division.left) or DropDivision(trace.span(division))
    if isinstance(division, ast.Call) and isinstance(division.func, ast.Attribute) and len(division.args) <= 1:
        dividend = division.func.value
        text = trace.text(dividend)
        whole = text if isinstance(dividend, _BINDS_TIGHTLY) else f"({text})"
        return _drop_assignment(trace, division, dividend) or ReplaceExpression(trace.span(division), whole)
    return None


def _drop_assignment(trace: Trace, division: ast.expr, dividend: ast.expr) -> Repair | None:
    """Return the removal of the statement where ``loss = loss`` would be left of it."""
    statement = trace.statement_of(division)
    if not isinstance(statement, ast.Assign) or statement.value is not division:
        return None
    if [ast.unparse(target) for target in statement.targets] != [ast.unparse(dividend)]:
        return None
    return DropStatement(trace.span(statement))
