"""``prepare-fix server``."""

from __future__ import annotations

import click

from prepare_fix.commands.output import complain
from prepare_fix.commands.verbs import Verb, option

_LIBRARIES = ("pygls", "lsprotocol")


@click.command(
    cls=Verb,
    examples=(("prepare-fix server", "What an editor starts; docs/editors.md tells how."),),
    statuses={
        "0": "The editor ended it.",
        "1": "The editor was gone without a word.",
        "2": "Wrong usage, or pygls is not installed.",
    },
)
@option("--stdio", is_flag=True, help="Serve on standard input and output, as it always does.")
def command(stdio: bool) -> int:
    """Serve an editor with findings and fixes.

    It speaks the language server protocol on standard input and output, and needs pip install 'prepare-fix[lsp]'.
    Nothing is written: the editor makes the changes.
    """
    try:
        from prepare_fix.server.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        complain("the language server needs pygls 2: pip install 'prepare-fix[lsp]'")
        return 2
    return serve()
