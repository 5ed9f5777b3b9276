"""Several repairs at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from asking import expression, rewrite, sites, statement

from prepare_fix.codemods import render
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import (
    Addition,
    BindTargets,
    CallAccelerator,
    DropArguments,
    DropDivision,
    DropStatement,
    GuardStatement,
    JoinPrepare,
    MoveStatement,
    RenameUses,
)
from prepare_fix.sources.text import SourceText

TEXT = """\
batches = cycle(loader)
model, optimizer, batches = acc.prepare(model, optimizer, batches)
(net(x) / n).backward()
"""


def test_repairs_of_one_statement_meet_where_they_touch_other_parts() -> None:
    site = sites(TEXT)[0]
    rebound = BindTargets(site, ("model", "optimizer", "loader"))
    renamed = RenameUses((expression(TEXT, "batches", 2),), "loader")
    moved = MoveStatement(statement(TEXT, "batches"), site.statement)
    call = CallAccelerator(expression(TEXT, "(net(x) / n).backward()"), "acc", "backward", receiver_is_argument=True)
    dropped = DropDivision(expression(TEXT, "net(x) / n"))
    used = RenameUses((expression(TEXT, "net"),), "model")
    guarded = GuardStatement(statement(TEXT, "(net"), "test")
    assert rewrite(TEXT, rebound, renamed, moved, call, dropped, used) == (
        "model, optimizer, loader = acc.prepare(model, optimizer, loader)\n"
        "batches = cycle(loader)\n"
        "acc.backward(model(x))\n"
    )
    assert rewrite(TEXT, dropped, guarded).endswith("if test:\n    (net(x)).backward()\n")


def test_edits_are_sorted_and_small() -> None:
    site = sites(TEXT)[0]
    edits = render(SourceText(TEXT), (DropArguments(site, (0,)), RenameUses((expression(TEXT, "loader"),), "data")))
    assert [(edit.old, edit.new) for edit in edits] == [("loader", "data"), ("model, ", ""), ("model, ", "")]


def test_what_is_so_already_gives_no_edit() -> None:
    site = sites(TEXT)[0]
    assert render(SourceText(TEXT), (BindTargets(site, ("model", "optimizer", "batches")),)) == ()
    assert render(SourceText(TEXT), (RenameUses((expression(TEXT, "net"),), "net"),)) == ()
    assert render(SourceText(TEXT), ()) == ()


def test_repairs_of_the_same_text_are_refused() -> None:
    site = sites(TEXT)[0]
    join = JoinPrepare(site, (Addition(3, "s", "s"),))
    for other in (join, DropStatement(site.statement), MoveStatement(site.statement, statement(TEXT, "(net"))):
        with pytest.raises(CannotRewriteError):
            render(SourceText(TEXT), (join, other))


def test_libcst_is_imported_with_the_codemods_and_not_before() -> None:
    code = (
        "import sys, prepare_fix.repairs, prepare_fix.edits; assert 'libcst' not in sys.modules\n"
        "import prepare_fix.codemods; assert 'libcst' in sys.modules\n"
        "assert not {'libcst.codemod', 'libcst.matchers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
