"""Put a new statement behind another one."""

from __future__ import annotations

import re

from prepare_fix.codemods.lines import insert_behind, reindent
from prepare_fix.edits import Edit
from prepare_fix.repairs import InsertStatement
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: InsertStatement) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statement in front shares its line with another.
    """
    code = re.sub(r"\r\n|\r|\n", source.newline, repair.code.strip("\r\n"))
    indented = reindent(code, "", source.indentation(repair.behind.start))
    return (insert_behind(source, repair.behind, indented),)
