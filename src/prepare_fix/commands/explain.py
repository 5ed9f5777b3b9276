"""``prepare-fix explain``."""

from __future__ import annotations

import click

from prepare_fix.commands.options import known_rules
from prepare_fix.rules.page import render_page


@click.command()
@click.argument("codes", nargs=-1, metavar="[RULE]...")
def command(codes: tuple[str, ...]) -> int:
    """Print the page of each RULE (a code or a name); without arguments list all rules."""
    rules = known_rules()
    if not codes:
        for rule in rules:
            click.echo(f"{rule.code}  {rule.name}: {rule.summary}")
        return 0
    by_key = {key: rule for rule in rules for key in (rule.code, rule.name)}
    unknown = [code for code in codes if code not in by_key]
    if unknown:
        raise click.UsageError(f"no such rule: {', '.join(unknown)} (prepare-fix explain lists them all)")
    click.echo("\n".join(render_page(by_key[code]) for code in codes), nl=False)
    return 0
