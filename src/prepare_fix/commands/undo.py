"""``prepare-fix undo``."""

from __future__ import annotations

import os

import click

from prepare_fix.commands.output import complain
from prepare_fix.commands.verbs import GENERAL, Verb, option
from prepare_fix.findings import FileError
from prepare_fix.journal import find_last_run, restore
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.text import count, format_error
from prepare_fix.sources.discover import find_work_tree, show_path


@click.command(
    cls=Verb,
    examples=(("prepare-fix undo", "Take back the last fix or review; once more, the one before."),),
    statuses={
        "0": "All files are restored.",
        "2": "There is nothing to take back, or a file could not be restored; all others are.",
    },
)
@option("-q", "--quiet", is_flag=True, section=GENERAL, help="Print no summary.")
def command(quiet: bool) -> int:
    """Take back the last fix or review of this project.

    The project is the git work tree, or else the current folder. Files that changed since then stay as they are, and
    are named.
    """
    here = os.getcwd()
    scope = find_work_tree(here) or here
    try:
        run = find_last_run(scope)
    except OSError as error:
        raise click.FileError(str(error.filename), error.strerror) from error
    if run is None:
        complain(f"there is no fix to take back in {scope}")
        return 2
    restored = failed = 0
    for path, refusal in restore(run):
        inner, root = show_path(path)
        shown = inner if root is None else path
        if refusal is None:
            restored += 1
            click.echo(f"{printable(shown)}: restored")
        else:
            failed += 1
            complain(format_error(FileError(shown, refusal.kind, refusal.message)))
    if not quiet:
        left = f", {failed} left as it is" if failed == 1 else f", {failed} left as they are" if failed else ""
        click.echo(f"Restored {count(restored, 'file')}{left}", err=True)
    return 2 if failed else 0
