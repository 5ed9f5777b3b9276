"""The options that commands share, and what they come down to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prepare_fix.configuration import Configuration, read_configuration
from prepare_fix.rules import Rule, discover
from prepare_fix.settings import Settings

if TYPE_CHECKING:
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


def _split(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [item.strip() for value in values for item in value.split(",") if item.strip()]


def _list_option(name: str, metavar: str, description: str) -> Option:
    return click.option(name, multiple=True, metavar=metavar, callback=_split, help=description)


# Those that a file can set as well, by the name that they have there.
SETTINGS = (
    _list_option("--select", "CODES", "Look for these rules only: codes or prefixes, with commas (PF3,PF101)."),
    _list_option("--extend-select", "CODES", "Look for these rules as well."),
    _list_option("--ignore", "CODES", "Leave these rules out; the longer prefix wins."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes", default=None, help="Also count or make fixes marked unsafe, or don't."
    ),
    _list_option("--include", "GLOBS", "In folders, look at these files (default: *.py,*.ipynb)."),
    _list_option("--extend-include", "GLOBS", "In folders, look at these files as well (*.md)."),
    _list_option("--exclude", "GLOBS", "In folders, leave these files and folders out."),
    _list_option("--extend-exclude", "GLOBS", "In folders, leave these out as well."),
    click.option("--baseline", metavar="FILE", help="Leave out the findings that FILE knows (an empty name: none)."),
    click.option("--jobs", type=click.IntRange(min=0), metavar="N", help="Use N processes (default: as many as pay)."),
)
FILES = (
    click.option("--config", metavar="FILE", help="Take the settings from FILE."),
    click.option("--isolated", is_flag=True, help="Take no settings from any file."),
)
_PATHS = click.argument("paths", nargs=-1, type=click.Path())
SHARED = (
    _PATHS,
    *SETTINGS,
    *FILES,
    click.option("--force-exclude", is_flag=True, help="Leave out what is excluded even where a path names the file."),
    click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="Name of what comes on standard input."),
    click.option("--exit-zero", is_flag=True, help="Exit with status 0 where it would be 1."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output."),
    click.option("-q", "--quiet", is_flag=True, help="Print the result alone, no summary."),
    click.option("-v", "--verbose", is_flag=True, help="Print details of what went wrong."),
)
ALLOW_DIRTY = click.option("--allow-dirty", is_flag=True, help="Also change files with changes that are not committed.")
OUTPUT_FILE = click.option(
    "--output-file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report to FILE."
)
_RUN = ("stdin_filename", "force_exclude", "exit_zero", "color", "quiet", "verbose")


def with_options(*options: Option) -> Callable[[Command], Command]:
    """Decorate a command with ``options``, in the order of its help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
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
