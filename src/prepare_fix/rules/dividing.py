"""How a division of the loss by the number of micro batches is taken back."""

from __future__ import annotations

import ast

from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropDivision, DropStatement, Repair, ReplaceExpression


def undo_division(trace: Trace, division: ast.AST, count: ast.expr) -> Repair | None:
    """Return what leaves the dividend of ``division``; None where it is divided in a way that can't be taken back, or
    by another number than ``count``, the one that the accelerator divides by."""
    if not trace.is_same_count(division, count):
        return None
    if isinstance(division, ast.AugAssign):
        return DropStatement(trace.span(division))
    if isinstance(division, ast.BinOp):
        statement = trace.statement_of(division)
        if (
            isinstance(statement, ast.Assign)
            and statement.value is division
            and [ast.unparse(target) for target in statement.targets] == [ast.unparse(division.left)]
        ):
            return DropStatement(trace.span(statement))  # what is left would be ``loss = loss``
        return DropDivision(trace.span(division))
    if isinstance(division, ast.Call) and isinstance(division.func, ast.Attribute) and len(division.args) <= 1:
        return ReplaceExpression(trace.span(division), trace.text(division.func.value))
    return None
