"""The options that commands share, and what they come down to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prepare_fix.commands.verbs import FILES, GENERAL, RULES, SETTINGS, option
from prepare_fix.configuration import Configuration, read_configuration
from prepare_fix.rules import Rule, discover
from prepare_fix.settings import Settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from prepare_fix.suppress import UnusedIgnore

STDIN = "-"

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """What one call of the program was asked for, beside the options of a single command."""

    paths: tuple[str, ...]
    configuration: Configuration
    known: Mapping[str, Mapping[str, int]]
    stdin_filename: str = "<stdin>"
    force_exclude: bool = False
    exit_zero: bool = False
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False

    @property
    def jobs(self) -> int:
        """How many processes may be used; 0 for as many as pay."""
        jobs: int = self.configuration.get("jobs")
        return jobs

    @property
    def settings(self) -> Settings:
        """What to look for, and where."""
        return replace(self.configuration.settings(), known=self.known)

    @property
    def reads_stdin(self) -> bool:
        """Whether the source comes from standard input."""
        return STDIN in self.paths


def known_rules() -> tuple[Rule | UnusedIgnore, ...]:
    """Return all that a finding can be of, sorted by code."""
    from prepare_fix.suppress import UnusedIgnore

    return (UnusedIgnore(), *discover())


def complete_rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes that begin like the last of a list with commas, for a shell."""
    from click.shell_completion import CompletionItem

    done, comma, begun = incomplete.rpartition(",")
    return [
        CompletionItem(f"{done}{comma}{rule.code}", help=rule.name)
        for rule in known_rules()
        if rule.code.startswith(begun.upper())
    ]


def _split(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [item.strip() for value in values for item in value.split(",") if item.strip()]


_list_option = partial(option, multiple=True, callback=_split)
_rules_option = partial(_list_option, section=RULES, metavar="CODES", shell_complete=complete_rules)
_globs_option = partial(_list_option, section=FILES, metavar="GLOBS")
_file_option = partial(option, metavar="FILE", type=click.Path())

# Those that a file can set as well, by the name that they have there.
SETTABLE = (
    _rules_option("--select", help="Look for these rules only: codes or beginnings of codes, with commas (PF3,PF101)."),
    _rules_option("--extend-select", help="Look for these rules as well."),
    _rules_option("--ignore", help="Leave these rules out; the longer code wins."),
    option(
        "--unsafe-fixes/--no-unsafe-fixes",
        default=None,
        section=RULES,
        help="Also count or make the fixes that may change what a script computes, or don't.",
    ),
    _file_option("--baseline", section=RULES, help="Leave out the findings that FILE knows (an empty name: none)."),
    _globs_option("--include", help="In folders, look at these files (default: *.py,*.ipynb)."),
    _globs_option("--extend-include", help="In folders, look at these files as well (*.md)."),
    _globs_option("--exclude", help="In folders, leave these files and folders out."),
    _globs_option("--extend-exclude", help="In folders, leave these out as well."),
    option(
        "--jobs",
        type=click.IntRange(min=0),
        metavar="N",
        section=GENERAL,
        help="Use N processes (default: as many as pay).",
    ),
)
SOURCES = (
    _file_option("--config", section=SETTINGS, help="Take the settings from FILE."),
    option("--isolated", is_flag=True, section=SETTINGS, help="Take no settings from any file."),
)
_PATHS = click.argument("paths", nargs=-1, type=click.Path())
SHARED = (
    _PATHS,
    *SETTABLE,
    option(
        "--force-exclude",
        is_flag=True,
        section=FILES,
        help="Leave out what is excluded even where a path names the file.",
    ),
    option(
        "--stdin-filename",
        default="<stdin>",
        metavar="NAME",
        section=FILES,
        help="Name of what comes on standard input; a notebook ends with .ipynb.",
    ),
    *SOURCES,
    option("--exit-zero", is_flag=True, section=GENERAL, help="Exit with status 0 where it would be 1."),
    option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        section=GENERAL,
        help="Colour the output (auto: on a terminal; NO_COLOR and FORCE_COLOR are obeyed).",
    ),
    option("-q", "--quiet", is_flag=True, section=GENERAL, help="Print the result alone, no summary."),
    option("-v", "--verbose", is_flag=True, section=GENERAL, help="Print details of what went wrong."),
)


class Target(click.Path):
    """A path to write to, which ``-`` is not: a baseline or patches can't stand in a stream, and reports do anyway."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == STDIN:
            self.fail("'-' is nothing to write to here (what has this name is './-')", param, ctx)
        return super().convert(value, param, ctx)


ALLOW_DIRTY = option("--allow-dirty", is_flag=True, help="Also change files with changes that are not committed.")
OUTPUT_FILE = option("--output-file", type=Target(dir_okay=False), metavar="FILE", help="Write the report to FILE.")
_RUN = ("stdin_filename", "force_exclude", "exit_zero", "color", "quiet", "verbose")


def with_options(*options: Option) -> Callable[[Command], Command]:
    """Decorate a command with ``options``, in the order of its help."""

    def decorate(command: Command) -> Command:
        for give in reversed(options):
            command = give(command)
        return command

    return decorate


def with_run(*options: Option) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the shared options and its own: the former as one ``Run``, the latter by name."""

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def wrapper(paths: tuple[str, ...], config: str | None, isolated: bool, **others: Any) -> int:
            if STDIN in paths and len(paths) > 1:
                raise click.UsageError("- (standard input) can't be combined with other paths")
            if others.get("write_baseline") is not None:
                # What was known so far has no say in what is known from now on.
                others["baseline"] = ""
            configuration = read_options(config, isolated, others)
            shared = {name: others.pop(name) for name in _RUN}
            return command(Run(paths or (os.curdir,), configuration, _read_known(configuration), **shared), **others)

        return with_options(*SHARED, *options)(wrapper)

    return decorate


def read_options(config: str | None, isolated: bool, options: dict[str, Any]) -> Configuration:
    """Return the settings in force, and take those that are settings out of ``options``.

    Raises:
        SettingsError: a file or an option can't be used.
    """
    if config is not None and isolated:
        raise click.UsageError("--isolated can't be combined with --config")
    configuration = read_configuration(config, isolated, _take_settings(options))
    # Rules are many modules: a run that names none has no need of their codes yet.
    if configuration.names_codes():
        configuration.check_codes(rule.code for rule in known_rules())
    return configuration


def _read_known(configuration: Configuration) -> Mapping[str, Mapping[str, int]]:
    path = configuration.path("baseline")
    if path is None:
        return {}
    from prepare_fix.baseline import read_baseline

    return read_baseline(path)


def _take_settings(options: dict[str, Any]) -> dict[str, Any]:
    names = "select extend_select ignore unsafe_fixes include extend_include exclude extend_exclude baseline jobs"
    taken = {name.replace("_", "-"): options.pop(name) for name in names.split()}
    return {name: value for name, value in taken.items() if value is not None and value != []}
