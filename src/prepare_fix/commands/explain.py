"""``prepare-fix explain``."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence

import click

from prepare_fix.commands.options import complete_rules, known_rules
from prepare_fix.commands.output import screen_of
from prepare_fix.commands.verbs import GENERAL, Verb, option
from prepare_fix.reporting.screen import Screen
from prepare_fix.rules.page import Documented, render_page
from prepare_fix.settings import find_nearest


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix explain", "List all rules."),
        ("prepare-fix explain PF101", "Tell what PF101 is about."),
        ("prepare-fix explain PF101 > pf101.md", "Keep its page."),
    ),
    statuses={"0": "All is told.", "2": "Wrong usage, or there is no such rule."},
)
@click.argument("codes", nargs=-1, metavar="[RULE]...", shell_complete=complete_rules)
@option("--no-pager", is_flag=True, section=GENERAL, help="Print what is longer than the screen as well.")
def command(codes: tuple[str, ...], no_pager: bool) -> int:
    """Tell what a rule is about; without a RULE, list all.

    RULE is a code, such as PF101, or a name, in capitals or not. The page says what is wrong and why it matters, shows
    it wrong and right, and tells when the fix is safe, where the rule is silent, and how to silence it. On a terminal,
    what is longer than the screen goes to $PAGER, or else to less; elsewhere a page is Markdown.
    """
    rules = known_rules()
    chosen = _choose(rules, codes)
    if not sys.stdout.isatty():
        click.echo("\n".join(map(render_page, chosen)) or "".join(map(_summarise, rules)), nl=False)
        return 0
    screen = screen_of("auto", sys.stdout)
    told = _format_pages(chosen, screen) if chosen else _format_list(rules, screen)
    if no_pager or told.count("\n") < shutil.get_terminal_size().lines:
        click.echo(told, nl=False)
    else:
        # As git has it: colours come through, and the last screen of it stays.
        os.environ.setdefault("LESS", "FRX")
        click.echo_via_pager(told)
    return 0


def _choose(rules: Iterable[Documented], codes: Sequence[str]) -> list[Documented]:
    by_key = {key: rule for rule in rules for key in (rule.code.lower(), rule.name)}
    unknown = [f"{code}{_advise(code, by_key)}" for code in codes if code.lower() not in by_key]
    if unknown:
        raise click.UsageError(f"no such rule: {'; '.join(unknown)} (prepare-fix explain lists them all)")
    return [by_key[code.lower()] for code in codes]


def _advise(code: str, by_key: Mapping[str, Documented]) -> str:
    """Return what may have been meant by ``code``, which is no rule: those that begin so, or the nearest."""
    beginning = {rule.code: None for rule in by_key.values() if code and rule.code.startswith(code.upper())}
    if beginning:
        return f", but there are {', '.join(beginning)}"
    near = find_nearest(code.lower(), by_key)
    return f", did you mean {by_key[near].code} {by_key[near].name}?" if near else ""


def _format_pages(rules: Iterable[Documented], screen: Screen) -> str:
    from prepare_fix.reporting.page import format_page

    return "\n".join(format_page(render_page(rule), screen) for rule in rules)


def _format_list(rules: Iterable[Documented], screen: Screen) -> str:
    return "".join(f"{line}\n" for rule in rules for line in screen.wrap(_summarise(rule).rstrip(), "", " " * 7))


def _summarise(rule: Documented) -> str:
    return f"{rule.code}  {rule.name}: {rule.summary}\n"
