"""Rewriting with LibCST: one codemod per kind of repair, and no judgement about what is wrong.

Importing this package imports LibCST, which takes longer than checking most files: import it at the first repair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from prepare_fix import repairs as wanted
from prepare_fix.codemods import (
    bind_targets,
    call_accelerator,
    drop_arguments,
    drop_division,
    drop_import,
    drop_statement,
    guard_statement,
    insert_statement,
    join_prepare,
    merge_prepares,
    move_statement,
    rename_use,
    replace_expression,
    set_keywords,
    splice_argument,
    unwrap_read,
    wrap_accumulate,
)
from prepare_fix.edits import Edit, find_conflict
from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText

_CODEMODS: Mapping[type, Callable[[SourceText, Any], tuple[Edit, ...]]] = {
    wanted.JoinPrepare: join_prepare.render,
    wanted.BindTargets: bind_targets.render,
    wanted.MergePrepares: merge_prepares.render,
    wanted.RenameUses: rename_use.render,
    wanted.CallAccelerator: call_accelerator.render,
    wanted.MoveStatement: move_statement.render,
    wanted.SpliceArgument: splice_argument.render,
    wanted.DropArguments: drop_arguments.render,
    wanted.UnwrapRead: unwrap_read.render,
    wanted.DropDivision: drop_division.render,
    wanted.DropStatement: drop_statement.render,
    wanted.InsertStatement: insert_statement.render,
    wanted.WrapAccumulate: wrap_accumulate.render,
    wanted.GuardStatement: guard_statement.render,
    wanted.ReplaceExpression: replace_expression.render,
    wanted.SetKeywords: set_keywords.render,
    wanted.DropImport: drop_import.render,
}


def render(source: SourceText, repairs: tuple[wanted.Repair, ...]) -> tuple[Edit, ...]:
    """Return the edits of ``source`` that make all of ``repairs``, sorted by place.

    Raises:
        CannotRewriteError: one of them can't be made in this source, or two change the same text.
    """
    rendered = [_CODEMODS[type(repair)](source, repair) for repair in repairs]
    if any(find_conflict(one, other) for one, other in combinations(rendered, 2)):
        raise CannotRewriteError("two repairs change the same text")
    return tuple(sorted(edit for edits in rendered for edit in edits if edit.old != edit.new))
