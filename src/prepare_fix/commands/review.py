"""``prepare-fix review``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from prepare_fix.commands.collect import check_document, collect, with_shown_paths
from prepare_fix.commands.options import ALLOW_DIRTY, Run, Target, with_run
from prepare_fix.commands.output import finish, require_folder, spare_sources
from prepare_fix.commands.verbs import CHECK_STATUSES, Verb, option
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.text import count

if TYPE_CHECKING:
    from prepare_fix.review import Review


@dataclass(frozen=True, slots=True)
class _Ending:
    """What becomes of the fixes that are taken: made in place, or written to ``patch``."""

    allow_dirty: bool
    patch: str | None


@click.command(
    cls=Verb,
    examples=(
        ("prepare-fix review train.py", "Go through the safe fixes of one script."),
        ("prepare-fix review --unsafe-fixes", "Go through all fixes of the current folder."),
        ("prepare-fix review --output p.patch", "Change nothing; write what you take as a patch."),
    ),
    statuses={**CHECK_STATUSES, "0": "Nothing is left to report.", "1": "Findings are left."},
)
@with_run(
    ALLOW_DIRTY,
    option("--output", type=Target(), metavar="FILE", help="Write what you take to FILE as a patch; change no source."),
    option("--single-key", is_flag=True, help="On a terminal, take answers without Enter."),
)
def command(run: Run, allow_dirty: bool, output: str | None, single_key: bool) -> int:
    """Ask about each fix, and make those that you take.

    PATHS are files and folders, by default the current folder. Each fix is shown with its story and its diff, and
    answered with one letter; ? tells which there are. What you take is made at the end or at q, not before; Ctrl-C
    asks, or leaves all files as they are. Where standard input is no terminal, the answers are its lines, and its end
    means q. Files are refused, and kept for prepare-fix undo, as by fix.
    """
    if run.reads_stdin:
        raise click.UsageError("- (standard input) can't be reviewed: it is for the answers")
    if output is not None:
        require_folder(output)
    results = {result.path: result for result in collect(run, check_document)}
    if output is not None:
        spare_sources(output, results.values())
    ending = _Ending(allow_dirty, output)
    expected = _count_fixes(run, results)
    if expected and output is None:
        expected = _without_refused(run, results, expected, allow_dirty)
    if not expected:
        return _report(run, list(results.values()), ["No fix to decide on"])
    return _review(run, results, expected, ending, single_key)


def _count_fixes(run: Run, results: dict[str, FileResult]) -> dict[str, int]:
    """Return how many fixes there are to decide on in each file that has any."""
    if not any(result.findings for result in results.values()):
        return {}
    from prepare_fix.passes import count_fixes

    counted = {path: count_fixes(result.findings, run.settings) for path, result in results.items()}
    return {path: number for path, number in counted.items() if number}


def _without_refused(
    run: Run, results: dict[str, FileResult], expected: dict[str, int], allow_dirty: bool
) -> dict[str, int]:
    """Return ``expected`` without the files that would not be written in the end: nobody should decide for nothing."""
    from prepare_fix.apply import find_refusals

    refusals = find_refusals(list(expected), allow_dirty)
    for path, refusal in refusals.items():
        results[path] = replace(results[path], error=FileError(path, refusal.kind, refusal.message))
    if refusals and not run.quiet:
        click.echo(f"Left out: {count(len(refusals), 'file')} that would not be written (see the end)", err=True)
    return {path: number for path, number in expected.items() if path not in refusals}


def _review(
    run: Run, results: dict[str, FileResult], expected: dict[str, int], ending: _Ending, single_key: bool
) -> int:
    from prepare_fix.commands.dialogue import Dialogue
    from prepare_fix.passes import Passes, begin
    from prepare_fix.pipeline import result_of
    from prepare_fix.review import Review
    from prepare_fix.sources.document import read_document
    from prepare_fix.sources.files import read_file

    def open_file(path: str) -> Passes | None:
        try:
            return begin(read_document(read_file(path), path, in_tree=True), run.settings)
        except SourceError as error:
            # It was fine a moment ago: somebody works on it.
            results[path] = FileResult(path, error=FileError(path, error.kind, error.message, error.line, error.cell))
            return None

    review = Review(expected, open_file)
    Dialogue(run, review, single_key).run()
    results.update((passes.path, result_of(passes)) for passes in review.passes)
    ordered = sorted(results.values(), key=lambda result: result.path)
    if ending.patch is None:
        from prepare_fix.commands.writing import write_results

        ordered = write_results(run, ordered, ending.allow_dirty)
        shown = with_shown_paths(ordered)
    else:
        shown = _write_patch(ending.patch, ordered)
    changed = {result.path for result in ordered if result.after is not None}
    return _report(run, shown, _tell(review, changed, ending))


def _write_patch(path: str, results: Sequence[FileResult]) -> list[FileResult]:
    """Write the changes to the file at ``path``, as one patch."""
    from prepare_fix.commands.diffs import compare_files
    from prepare_fix.sources.files import write_file

    compared = compare_files(results)
    patch = b"".join(part for _, part in compared)
    if patch:
        try:
            write_file(path, patch)
        except SourceError as error:
            raise click.FileError(path, error.message) from error
    return [result for result, _ in compared]


def _tell(review: Review, changed: set[str], ending: _Ending) -> Iterator[str]:
    """Yield what became of the fixes."""
    made = sum(len(passes.made) for passes in review.passes if passes.path in changed)
    told = {"left": review.left, "refused": review.taken - made, "not looked at": review.total - review.number + 1}
    what = _count_made(made, len(changed), ending) if made else "No fix made"
    yield ", ".join([what, *(f"{number} {fate}" for fate, number in told.items() if number)])
    if made and ending.patch is None:
        yield "prepare-fix undo takes them back"


def _count_made(made: int, files: int, ending: _Ending) -> str:
    fixes = "1 fix" if made == 1 else f"{made} fixes"
    if ending.patch is None:
        return f"Made {fixes} in {count(files, 'file')}"
    return f"Wrote {fixes} in {count(files, 'file')} to {printable(ending.patch)}"


def _report(run: Run, results: Sequence[FileResult], told: Sequence[str] | Iterator[str]) -> int:
    if not run.quiet:
        for line in told:
            click.echo(line, err=True)
        for line in _tell_of_others(run, results):
            click.echo(line, err=True)
    return finish(run, results, any(result.findings for result in results))


def _tell_of_others(run: Run, results: Sequence[FileResult]) -> Iterator[str]:
    """Yield what was not asked about."""
    statuses = Counter(finding.status for result in results for finding in result.findings)
    if statuses["not-fixable"]:
        yield f"{count(statuses['not-fixable'], 'finding')} without a fix: prepare-fix check shows what to do"
    if statuses["fixable-unsafe"] and not run.settings.unsafe_fixes:
        yield f"{count(statuses['fixable-unsafe'], 'finding')} with an unsafe fix: --unsafe-fixes asks about these too"
