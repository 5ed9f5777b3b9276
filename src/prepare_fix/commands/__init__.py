"""The commands: options in, exit status out. Each is a module, imported when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from io import StringIO

import click

from prepare_fix import __version__
from prepare_fix.commands.output import complain, note
from prepare_fix.errors import SettingsError

_COMMANDS = ("check", "diff", "fix", "review", "undo", "explain", "config", "server")


class _Commands(click.Group):
    """The group of all commands; only the one that runs is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return command


_EPILOG = """\b
To begin with:
  prepare-fix check train.py         what is wrong, and what it breaks
  prepare-fix diff train.py          what fix would change
  prepare-fix fix train.py           make the safe fixes; undo takes them back
  prepare-fix COMMAND --help         all of a command"""


@click.command(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="prepare-fix", message="%(prog)s %(version)s")
def cli() -> None:
    """Find and repair mistakes around Accelerator.prepare in training scripts and notebooks."""


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit status; errors of usage go to standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A file name or a message may hold what the terminal's encoding does not.
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")
    try:
        os.getcwd()
    except OSError:
        complain("the current folder is gone")
        return 2
    try:
        status = cli.main(args=list(arguments), prog_name="prepare-fix", standalone_mode=False)
    except click.exceptions.Abort as abort:
        # Older releases of click do not name the cause.
        cause = abort.__cause__ or abort.__context__
        raise cause if isinstance(cause, KeyboardInterrupt) else KeyboardInterrupt() from None
    except click.ClickException as error:
        told = StringIO()
        error.show(told)
        for line in told.getvalue().removesuffix("\n").split("\n"):
            note(line)
        return 2
    except SettingsError as error:
        complain(str(error))
        return 2
    return status if isinstance(status, int) else 0
