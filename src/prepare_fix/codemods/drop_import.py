"""Take a name out of an import that nothing needs any more."""

from __future__ import annotations

import libcst as cst

from prepare_fix.codemods.drop_statement import drop
from prepare_fix.codemods.elements import Elements, read_elements
from prepare_fix.codemods.slices import shrink
from prepare_fix.codemods.tree import Tree, parse_statement
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropImport
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: DropImport) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statement does not import the name.
    """
    tree = parse_statement(source, repair.statement)
    aliases, names = _read_names(tree)
    bound = [_bound_name(tree, alias) for alias in aliases]
    if repair.name not in bound:
        raise CannotRewriteError(f"`{repair.name}` is not imported there")
    if len(aliases) == 1:
        return (drop(source, repair.statement),)
    start = tree.span(aliases[0]).start - len(names.opening)
    span = Span(start, start + len(names.text))
    return (shrink(Edit(span, names.text, names.remove(bound.index(repair.name)).text)),)


def _read_names(tree: Tree) -> tuple[list[cst.ImportAlias], Elements]:
    statement = tree.statement
    if isinstance(statement, cst.Import):
        return list(statement.names), read_elements(tree, None, statement.names, None)
    if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
        raise CannotRewriteError("the statement imports no names one by one")
    opening = statement.lpar.whitespace_after if statement.lpar else None
    closing = statement.rpar.whitespace_before if statement.rpar else None
    return list(statement.names), read_elements(tree, opening, list(statement.names), closing)


def _bound_name(tree: Tree, alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return tree.code(alias.asname.name)
    name = tree.code(alias.name)
    return name.partition(".")[0] if isinstance(tree.statement, cst.Import) else name
