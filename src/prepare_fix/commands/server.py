"""``prepare-fix server``."""

from __future__ import annotations

import click

from prepare_fix.commands.output import complain

_LIBRARIES = ("pygls", "lsprotocol")


@click.command()
@click.option("--stdio", is_flag=True, help="Serve on standard input and output, as it always does.")
def command(stdio: bool) -> int:
    """Serve an editor: the language server protocol on standard input and output."""
    try:
        from prepare_fix.server.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        complain("the language server needs pygls 2: pip install 'prepare-fix[lsp]'")
        return 2
    return serve()
