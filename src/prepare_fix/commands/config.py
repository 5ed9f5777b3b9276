"""``prepare-fix config``."""

from __future__ import annotations

import json
from typing import Any

import click

from prepare_fix.commands.options import SETTABLE, SOURCES, read_options, with_options
from prepare_fix.commands.verbs import Verb
from prepare_fix.configuration import KEYS
from prepare_fix.reporting.screen import printable


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix config", "Show what a check in this folder would go by."),
        ("prepare-fix config --isolated", "Show the defaults."),
    ),
    statuses={"0": "The settings can be used.", "2": "Wrong usage, or settings that can't be used."},
)
@with_options(*SETTABLE, *SOURCES)
def command(config: str | None, isolated: bool, **options: Any) -> int:
    """Print the settings in force, each with where it comes from.

    They stand in the nearest prepare-fix.toml, or in [tool.prepare-fix] of the nearest pyproject.toml, from the current
    folder upwards; options stand above them. The output is TOML, for such a file.
    """
    configuration = read_options(config, isolated, options)
    lines = [(f"{key} = {_format(configuration.get(key))}", configuration.origin(key)) for key in KEYS]
    width = max(len(line) for line, _ in lines)
    for line, origin in lines:
        click.echo(f"{line:{width}}  # {printable(origin)}")
    return 0


def _format(value: Any) -> str:
    """Return ``value`` as TOML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_format(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_format, value))}]"
    told = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in told)
