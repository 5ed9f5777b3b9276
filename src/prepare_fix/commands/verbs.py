"""How a command tells of itself: what it does and writes, its options by what they are about, examples, statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

OWN = "Options"
RULES = "Rules and fixes"
FILES = "Files"
SETTINGS = "Settings"
GENERAL = "General options"
_ORDER = (OWN, RULES, FILES, SETTINGS, GENERAL)

CHECK_STATUSES = {
    "0": "No finding.",
    "1": "There are findings.",
    "2": "Wrong usage, or a file that could not be read, parsed or written; all others are done.",
}
"""What the exit status of a command that looks at files means, where it says nothing else."""


class Option(click.Option):
    """An option that knows which ``section`` of the help it belongs to."""

    def __init__(self, *arguments: Any, section: str = OWN, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.section = section


option = partial(click.option, cls=Option)


class Verb(click.Command):
    """A command whose help ends with ``examples``, each with what it does, and with the meaning of its ``statuses``."""

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[tuple[str, str]] = (),
        statuses: Mapping[str, str] = CHECK_STATUSES,
        **others: Any,
    ) -> None:
        super().__init__(*arguments, **others)
        self.examples = examples
        self.statuses = statuses

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section; ``--help`` stands with the general ones."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            # Some releases of click have a line for arguments too, which the text above them is about.
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", GENERAL), []).append(record)
        for title in sorted(sections, key=_ORDER.index):
            with formatter.section(title):
                formatter.write_dl(sections[title])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the statuses."""
        with formatter.section("Examples"):
            formatter.write_dl(self.examples)
        with formatter.section("Exit status"):
            formatter.write_dl(list(self.statuses.items()))
