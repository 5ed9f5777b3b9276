"""``prepare-fix config``."""

from __future__ import annotations

import json
from typing import Any

import click

from prepare_fix.commands.options import FILES, SETTINGS, read_options, with_options
from prepare_fix.configuration import KEYS


@click.command()
@with_options(*SETTINGS, *FILES)
def command(config: str | None, isolated: bool, **options: Any) -> int:
    """Print the settings in force, as TOML, each with where it comes from."""
    configuration = read_options(config, isolated, options)
    lines = [(f"{key} = {_format(configuration.get(key))}", configuration.origin(key)) for key in KEYS]
    width = max(len(line) for line, _ in lines)
    for line, origin in lines:
        click.echo(f"{line:{width}}  # {origin}")
    return 0


def _format(value: Any) -> str:
    """Return ``value`` as TOML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {_format(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_format, value))}]"
    return json.dumps(value, ensure_ascii=False)
