"""The commands: options in, exit status out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TextIO, TypeVar

import click

from prepare_fix import __version__, pipeline
from prepare_fix.errors import SettingsError, SourceError
from prepare_fix.findings import FileError, FileResult
from prepare_fix.reporting import text
from prepare_fix.rules import discover
from prepare_fix.settings import Settings
from prepare_fix.sources.discover import find_files, show_path

STDIN = "-"

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Run:
    """What one call of the program was asked for."""

    paths: tuple[str, ...]
    settings: Settings
    stdin_filename: str
    exit_zero: bool
    quiet: bool
    verbose: bool
    color: str
    output_format: str = "text"
    output_file: str | None = None
    statistics: bool = False

    @property
    def reads_stdin(self) -> bool:
        """Whether the source comes from standard input."""
        return STDIN in self.paths


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit status; errors of usage go to standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A file name or a message may hold what the terminal's encoding does not.
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")
    try:
        status = cli.main(args=list(arguments), prog_name="prepare-fix", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        return 2
    except SettingsError as error:
        _complain(str(error))
        return 2
    return status if isinstance(status, int) else 0


def _codes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


def _code_option(name: str, description: str) -> Callable[[Command], Command]:
    return click.option(name, multiple=True, metavar="CODES", callback=_codes, help=description)


_SHARED = (
    click.argument("paths", nargs=-1, type=click.Path()),
    click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="Name of what comes on standard input."),
    _code_option("--select", "Look for these rules only: codes or prefixes, with commas (PF3,PF101)."),
    _code_option("--extend-select", "Look for these rules as well."),
    _code_option("--ignore", "Leave these rules out; the longer prefix wins."),
    click.option("--unsafe-fixes/--no-unsafe-fixes", default=False, help="Also count or make fixes marked unsafe."),
    click.option("--exit-zero", is_flag=True, help="Exit with status 0 where it would be 1."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto"),
    click.option("-q", "--quiet", is_flag=True, help="Print the result alone, no summary."),
    click.option("-v", "--verbose", is_flag=True, help="Print details of what went wrong."),
)
_REPORT = (
    click.option("--output-format", type=click.Choice(["text", "concise", "json"]), default="text"),
    click.option("--output-file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report to FILE."),
    click.option("--statistics", is_flag=True, help="Print a count for each rule in the place of the findings."),
)


def _with_run(*options: Callable[[Any], Any]) -> Callable[[Callable[[Run], int]], Callable[..., int]]:
    """Hand a command its options as one ``Run``."""

    def decorate(command: Callable[[Run], int]) -> Callable[..., int]:
        @wraps(command)
        def wrapper(
            select: tuple[str, ...],
            extend_select: tuple[str, ...],
            ignore: tuple[str, ...],
            unsafe_fixes: bool,
            paths: tuple[str, ...],
            **others: Any,
        ) -> int:
            if STDIN in paths and len(paths) > 1:
                raise click.UsageError("- (standard input) can't be combined with other paths")
            settings = Settings(select or Settings().select, extend_select, ignore, unsafe_fixes)
            if select or extend_select or ignore:
                settings.check_codes(rule.code for rule in discover())
            return command(Run(paths or (os.curdir,), settings, **others))

        decorated: Callable[..., int] = wrapper
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="prepare-fix", message="%(prog)s %(version)s")
def cli() -> None:
    """Find and repair mistakes around Accelerator.prepare in training scripts and notebooks."""


@cli.command()
@_with_run(*_SHARED, *_REPORT)
def check(run: Run) -> int:
    """Report findings; nothing is written."""
    results = _collect(run, pipeline.check_document, pipeline.check_file)
    report = _format_report(run, results)
    if run.output_file is None:
        click.echo(report, nl=False, color=True)
    else:
        try:
            with open(run.output_file, "w", encoding="utf-8", newline="\n") as file:
                file.write(report)
        except OSError as error:
            raise click.FileError(run.output_file, error.strerror or str(error)) from error
    return _status(run, results, any(result.findings for result in results))


@cli.command()
@_with_run(*_SHARED)
def diff(run: Run) -> int:
    """Print one unified diff of all that fix would change; nothing is written."""
    results = [_with_diff(result) for result in _collect(run, pipeline.fix_document, pipeline.preview_file)]
    for _, patch in results:
        _print_patch(run, patch)
    finished = [result for result, _ in results]
    if not run.quiet:
        click.echo(text.format_fix_summary(finished, "Would fix"), err=True)
    return _status(run, finished, any(patch for _, patch in results))


@cli.command()
@_with_run(*_SHARED)
def fix(run: Run) -> int:
    """Make the fixes in place; findings that are left are reported."""
    raw = sys.stdin.buffer.read() if run.reads_stdin else b""
    results = _collect(run, pipeline.fix_document, pipeline.fix_file, raw)
    if run.reads_stdin:
        after = results[0].after
        sys.stdout.buffer.write(raw if after is None else after)
        sys.stdout.buffer.flush()
    colour = _is_coloured(run, sys.stderr if run.reads_stdin else sys.stdout)
    for result in results:
        click.echo(text.format_full(result, colour), nl=False, err=run.reads_stdin, color=True)
    if not run.quiet:
        click.echo(text.format_fix_summary(results, "Fixed"), err=True)
    return _status(run, results, any(result.findings for result in results))


@cli.command()
@click.argument("codes", nargs=-1, metavar="[RULE]...")
def explain(codes: tuple[str, ...]) -> int:
    """Print the page of each RULE (a code or a name); without arguments list all rules."""
    rules = discover()
    if not codes:
        for rule in rules:
            click.echo(f"{rule.code}  {rule.name}: {rule.summary}")
        return 0
    by_key = {key: rule for rule in rules for key in (rule.code, rule.name)}
    unknown = [code for code in codes if code not in by_key]
    if unknown:
        raise click.UsageError(f"no such rule: {', '.join(unknown)} (prepare-fix explain lists them all)")
    from inspect import getdoc

    pages = []
    for code in codes:
        rule = by_key[code]
        pages.append(f"{rule.code} {rule.name}\n\n{getdoc(type(rule)) or rule.summary}\n")
    click.echo("\n".join(pages), nl=False)
    return 0


def _collect(
    run: Run,
    work: pipeline.Work,
    file_work: Callable[[str, Settings], FileResult],
    raw: bytes | None = None,
) -> list[FileResult]:
    """Do ``work`` on standard input, or ``file_work`` on all files; one result each, also for bad paths."""
    if run.reads_stdin:
        content = sys.stdin.buffer.read() if raw is None else raw
        return [pipeline.do_bytes(content, run.stdin_filename, run.settings, work)]
    found = find_files(run.paths)
    results = list(pipeline.do_files(found.files, run.settings, file_work))
    results += [FileResult(bad.path, error=FileError(bad.path, "io", bad.message)) for bad in found.problems]
    return _with_shown_paths(results)


def _with_shown_paths(results: Iterable[FileResult]) -> list[FileResult]:
    """Name the files that there is something to say about as reports do; say to what outer names are relative."""
    shown = []
    roots = set()
    for result in results:
        if result.findings or result.error or result.after is not None:
            path, root = show_path(result.path)
            if root is not None:
                roots.add(root)
            error = result.error and replace(result.error, path=path)
            result = replace(result, path=path, error=error)
        shown.append(result)
    for root in sorted(roots):
        click.echo(f"prepare-fix: paths outside of the current folder are relative to {root}", err=True)
    return sorted(shown, key=lambda result: result.path)


def _format_report(run: Run, results: list[FileResult]) -> str:
    if run.output_format == "json":
        from prepare_fix.reporting.json_report import format_json

        return format_json(results, __version__)
    colour = run.output_file is None and _is_coloured(run, sys.stdout)
    if run.statistics:
        report = text.format_statistics(results)
    else:
        write = text.format_concise if run.output_format == "concise" else text.format_full
        report = "".join(write(result, colour) for result in results)
    return report if run.quiet else f"{report}{text.format_summary(results, run.settings.unsafe_fixes)}\n"


def _with_diff(result: FileResult) -> tuple[FileResult, bytes]:
    """Return the result with its diff, which is read back before anybody gets it."""
    if result.after is None:
        return result, b""
    from prepare_fix.reporting.unified_diff import build_diff, verify_diff

    patch = build_diff(result.path, result.before, result.after)
    try:
        verify_diff(patch, result.before, result.after)
    except SourceError as error:
        return replace(result, error=FileError(result.path, error.kind, error.message)), b""
    return result, patch


def _print_patch(run: Run, patch: bytes) -> None:
    # FORCE_COLOR must not spoil a patch in a pipe.
    if run.color == "always" or (sys.stdout.isatty() and _is_coloured(run, sys.stdout)):
        click.echo(text.paint_diff(patch.decode("utf-8", "replace")), nl=False, color=True)
    else:
        sys.stdout.buffer.write(patch)
        sys.stdout.buffer.flush()


def _is_coloured(run: Run, stream: TextIO) -> bool:
    """Return whether to colour what people read on ``stream``."""
    if run.color != "auto":
        return run.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() or bool(os.environ.get("FORCE_COLOR"))


def _complain(message: str) -> None:
    click.echo(f"prepare-fix: error: {message}", err=True)


def _status(run: Run, results: Sequence[FileResult], is_positive: bool) -> int:
    """List the errors on standard error and return the exit status."""
    for result in results:
        if result.error is not None:
            _complain(text.format_error(result.error))
            for note in result.notes if run.verbose else ():
                click.echo(note.rstrip(), err=True)
    if any(result.error is not None for result in results):
        return 2
    return int(is_positive and not run.exit_zero)
