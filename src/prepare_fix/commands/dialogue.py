"""The questions of a review, and what the answers do. Plain lines only: they scroll, and any terminal shows them."""

from __future__ import annotations

import sys
import textwrap

import click

from prepare_fix.cli import Stopped
from prepare_fix.commands.options import Run, known_rules
from prepare_fix.commands.output import screen_of
from prepare_fix.errors import EditConflictError, SourceError
from prepare_fix.findings import FileError, FileResult, Finding
from prepare_fix.hunks import build_draft, find_hunks, read_draft
from prepare_fix.passes import Choice, Passes
from prepare_fix.reporting.change import format_change
from prepare_fix.reporting.screen import Screen, printable
from prepare_fix.reporting.story import format_story
from prepare_fix.reporting.text import count, format_concise, format_error
from prepare_fix.review import Refusal, Review
from prepare_fix.rules.page import split_docstring
from prepare_fix.sources.discover import show_path

_WIDTH = 80
_HELP = """\
y  make this fix
n  leave it
a  make this fix and all later ones of {rule}{safe}
d  leave this fix and all others in this file
e  change the outcome in an editor ($VISUAL or $EDITOR), then decide
u  take the last decision back
q  stop here: what was taken is made, all else is left
?  this help
"""


class Dialogue:
    """Asks about each fix of ``review`` until there is none, or the answers end."""

    def __init__(self, run: Run, review: Review, single_key: bool) -> None:
        self._review = review
        self._screen = screen_of(run.color, sys.stdout)
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._single_key = single_key and self._is_terminal
        self._draft: tuple[Choice, str] | None = None

    def run(self) -> None:
        """Ask.

        Raises:
            KeyboardInterrupt: somebody stopped the program, and what was taken is not to be made.
        """
        try:
            try:
                self._ask_all()
            except KeyboardInterrupt as interruption:
                if isinstance(interruption, Stopped) or not self._confirm():
                    raise
                self._review.stop()
        except KeyboardInterrupt as interruption:
            interruption.args = ("nothing was written",)
            raise

    def _ask_all(self) -> None:
        self._tell_news([], [])
        while (choice := self._review.choice) is not None:
            self._show(choice)
            self._answer(choice)

    def _confirm(self) -> bool:
        """Return whether what was taken is to be made, after an interruption."""
        if not self._is_terminal or not self._review.taken:
            return False
        click.echo()
        return self._read("Make what you took so far [y,N]? ") == "y"

    # What is shown.

    def _show(self, choice: Choice) -> None:
        passes = self._review.current
        assert passes is not None
        before, after = passes.preview
        click.echo()
        if choice.is_edited:
            objection = passes.objection()
            click.echo(f"As you edited it ({objection}):" if objection else "As you edited it:")
        else:
            self._show_story(passes, choice)
        change = format_change(find_hunks(before.source, before.parts, after.parts), self._screen)
        click.echo(change, nl=False, color=True)

    def _show_story(self, passes: Passes, choice: Choice) -> None:
        source, (first, *others) = passes.story()
        path, _ = show_path(passes.path)
        click.echo(format_story(source, path, first, self._screen), color=True)
        if others:
            self._tell(f"This fix also mends {count(len(others), 'further finding')}:")
            self._tell(format_concise(FileResult(path, tuple(others), source=source), Screen()))
        if not choice.is_safe:
            self._tell(f"This fix is unsafe; the page of {choice.rule} says: {_safety(choice.rule)}\n")

    def _tell_news(self, taken: list[tuple[Passes, Choice]], refused: list[Refusal]) -> None:
        """Say what happened beside the decision; ``taken`` and ``refused`` were told already."""
        for passes, choice in list(self._review.taken_by_rule)[len(taken) :]:
            self._tell(f"Taken, as all of {choice.rule}: {_place(passes, choice.findings[0])}: {choice.fix.title}")
        for refusal in list(self._review.refusals)[len(refused) :]:
            path, _ = show_path(refusal.path)
            fix = f"{printable(path)}: {refusal.choice.rule}: {refusal.choice.fix.title}"
            self._tell(f"Not made beside the other fixes that you took: {fix}: {refusal.reason}")

    def _tell(self, text: str) -> None:
        # Paths and names stay whole, so that they can be copied.
        for line in text.split("\n"):
            click.echo(textwrap.fill(line, _WIDTH, break_long_words=False, break_on_hyphens=False))

    # What is answered.

    def _answer(self, choice: Choice) -> None:
        """Ask until the answer says what is shown next."""
        review = self._review
        taken, refused = list(review.taken_by_rule), list(review.refusals)
        actions = {
            "y": review.take,
            "n": review.leave,
            "a": review.take_rule,
            "d": review.leave_file,
            "q": review.stop,
        }
        kind = "" if choice.is_safe else "unsafe "
        question = f"({review.number}/{review.total}) Make this {kind}fix [y,n,a,d,e,u,q,?]? "
        while True:
            key = self._read(question)
            if key in actions:
                actions[key]()
                break
            if key == "e":
                if self._edit(choice):
                    break
            elif key == "u":
                if review.undo():
                    break
                click.echo("There is no decision to take back.")
            elif key:
                safe = " that are as safe" if choice.is_safe else ""
                click.echo(_HELP.format(rule=choice.rule, safe=safe), nl=False)
        self._tell_news(taken, refused)

    def _read(self, question: str) -> str:
        """Return the key that answers ``question``; empty for none, ``q`` where there are no more answers."""
        click.echo(self._screen.paint(question, bold=True), nl=False, color=True)
        if self._single_key:
            try:
                key = click.getchar()
            except EOFError:
                key = "q"
            click.echo(printable(key))
            return key.lower()
        sys.stdout.flush()
        line = sys.stdin.buffer.readline()
        key = line.decode("utf-8", "replace").strip().lower() if line else "q"
        if not line or not sys.stdin.isatty():
            # Nobody's Enter ended the line of the question.
            click.echo(printable(key))
        return key

    # Editing.

    def _edit(self, choice: Choice) -> bool:
        """Let the person change what the fix comes to; return whether there is something new to show."""
        if not self._review.settle():
            click.echo("What you took in this file changed the fix: here is what comes next.")
            return True
        passes, choice = self._review.current, self._review.choice or choice
        assert passes is not None
        before, after = passes.preview
        hunks = find_hunks(before.source, before.parts, after.parts)
        fresh = build_draft(hunks, printable(show_path(passes.path)[0]))
        draft = self._draft[1] if self._draft is not None and self._draft[0] == choice else fresh
        try:
            edited = _open_editor(draft.encode())
            text = fresh if edited is None else edited.decode()
            self._draft = (choice, text)
            edits = read_draft(text, hunks, before.source) if text.splitlines() != fresh.splitlines() else ()
            if not edits:
                click.echo("Nothing was changed.")
                return False
            self._review.edit(edits)
        except SourceError as error:
            told = FileError(show_path(passes.path)[0], error.kind, error.message, error.line, error.cell)
            self._tell(f"That can't be taken: {format_error(told)}. e opens your text again.")
            return False
        except (EditConflictError, UnicodeError, click.ClickException) as error:
            self._tell(f"That can't be taken: {getattr(error, 'message', error)}.")
            return False
        return True


def _open_editor(draft: bytes) -> bytes | None:
    """Return what a person made of ``draft``; ``None`` where it was not saved.

    Raises:
        click.ClickException: the editor could not be started, failed, or left nothing that can be read.
    """
    try:
        return click.edit(draft, extension=".py")
    except (OSError, ValueError) as error:
        # A command line with an open quotation, or a file that is gone: no reason to lose what was decided before.
        raise click.ClickException(f"the editor: {error}") from error


def _place(passes: Passes, finding: Finding) -> str:
    path, _ = show_path(passes.path)
    place = passes.examination.document.source.locate(finding.span.start)
    cell = f"cell {place.cell}:" if place.cell is not None else ""
    return f"{printable(path)}:{cell}{place.line}"


def _safety(code: str) -> str:
    """Return what the page of a rule says about when its fix is safe."""
    rule = next(rule for rule in known_rules() if rule.code == code)
    return " ".join(split_docstring(rule)[1].get("Fix safety", "").replace("``", "`").split())
