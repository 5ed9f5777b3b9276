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
    dividend = _dividend_of_call(division)
    if dividend is not None and isinstance(division, ast.Call):
        text = trace.text(dividend)
        whole = text if isinstance(dividend, _BINDS_TIGHTLY) else f"({text})"
        return _drop_assignment(trace, division, dividend) or ReplaceExpression(trace.span(division), whole)
    return None


def _dividend_of_call(division: ast.AST) -> ast.expr | None:
    """Return what ``x.div(n)`` or ``torch.div(x, n)`` divides; None where more is said of how."""
    if not isinstance(division, ast.Call) or not isinstance(division.func, ast.Attribute):
        return None
    if any(keyword.arg != "other" for keyword in division.keywords):
        return None
    given = len(division.args) + len(division.keywords)
    if given == 1:
        return division.func.value
    return division.args[0] if given == 2 and division.args else None


def _drop_assignment(trace: Trace, division: ast.expr, dividend: ast.expr) -> Repair | None:
    """Return the removal of the statement where ``loss = loss``, or ``loss`` alone, would be left of it."""
    statement = trace.statement_of(division)
    if isinstance(statement, ast.Expr) and statement.value is division:
        return DropStatement(trace.span(statement))
    if not isinstance(statement, ast.Assign) or statement.value is not division:
        return None
    if [ast.unparse(target) for target in statement.targets] != [ast.unparse(dividend)]:
        return None
    return DropStatement(trace.span(statement))
