"""The passes over one document: which fixes there are to decide on, and what becomes of those that are taken.

The fixes of one pass are made together; then the document is looked at again, as a fix may uncover a further mistake
and those that overlap have to wait. ``fix`` takes them all, ``review`` asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from prepare_fix.edits import Edit, find_conflict
from prepare_fix.findings import Finding, Fix
from prepare_fix.selection import select_findings
from prepare_fix.settings import Settings
from prepare_fix.verify import Examination, examine, find_objection, replaced, try_edits

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document
    from prepare_fix.sources.text import SourceText

MAX_PASSES = 10


@dataclass(frozen=True, slots=True)
class Choice:
    """Edits that are made or left as a whole, and the findings that they mend.

    ``is_edited`` says that a person changed them: they are made as they are.
    """

    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    is_edited: bool = False

    @property
    def rule(self) -> str:
        """The code of the rule, such as ``PF101``."""
        return self.findings[0].rule

    @property
    def fix(self) -> Fix:
        """The fix as it was proposed."""
        fix = self.findings[0].fix
        assert fix is not None
        return fix

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """What the findings are known by when the text has changed."""
        return tuple(finding.fingerprint for finding in self.findings)

    @property
    def is_safe(self) -> bool:
        """Whether the fix may be made without a look."""
        return self.fix.is_safe


@dataclass(frozen=True, slots=True)
class Passes:
    """How far the passes over a document have come; each step returns a new value, so that none is ever lost.

    ``first`` are the findings in ``original``, ``findings`` those in the document of ``examination``, where the spans
    of these lie too: the choices ``waiting`` in this pass, those ``taken`` in it, and the findings ``decided`` on,
    which are not asked about again. ``made`` are the choices that were made, ``refused`` those that were taken and
    did not go together with others, each with the reason. ``count`` is the number of passes that ended of themselves
    and changed something.
    """

    original: Document
    settings: Settings
    first: tuple[Finding, ...]
    examination: Examination
    findings: tuple[Finding, ...]
    waiting: tuple[Choice, ...] = ()
    taken: tuple[Choice, ...] = ()
    decided: tuple[Finding, ...] = ()
    count: int = 0
    made: tuple[Choice, ...] = ()
    refused: tuple[tuple[Choice, str], ...] = ()

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.original.source.path

    @property
    def choice(self) -> Choice | None:
        """The next fix to decide on; ``None`` where the passes are over."""
        return self.waiting[0] if self.waiting else None

    @property
    def is_stuck(self) -> bool:
        """Whether the fixes bring new ones without an end: nothing may be changed then."""
        return self.count == MAX_PASSES

    @property
    def preview(self) -> tuple[Document, Document]:
        """The document with all that was taken so far, and with the next fix made in it too."""
        edits = [edit for choice in self.taken for edit in choice.edits]
        after = replaced(self.examination.document, [*edits, *self.waiting[0].edits])
        return replaced(self.examination.document, edits) if edits else self.examination.document, after

    def story(self) -> tuple[SourceText, tuple[Finding, ...]]:
        """Return what the next fix is about, with all that was taken so far, and the text where that is found."""
        source, found = self.examination.document.source, self.waiting[0].findings
        edits = [edit for choice in self.taken for edit in choice.edits]
        if not edits:
            return source, found
        after = self.examination.after(edits)
        again = _find_again(found, edits, after.findings)
        if len(again) < len(found):
            # What was taken mends some of it too.
            return source, found
        told = (replace(new, fix=old.fix, why_no_fix="") for new, old in zip(again, found, strict=True))
        return after.document.source, tuple(told)

    @property
    def pending(self) -> int:
        """How many fixes there are to decide on, those included that have to wait for others."""
        taken = {finding for choice in self.taken for finding in choice.findings}
        return count_fixes((finding for finding in self._undecided() if finding not in taken), self.settings)

    def take(self) -> Passes:
        """Make the next fix, with all others that are taken in this pass."""
        choice, *waiting = self.waiting
        after = replace(self, taken=(*self.taken, choice), waiting=tuple(waiting))
        return after._end_pass() if choice.is_edited or not waiting else after

    def leave(self) -> Passes:
        """Leave the next fix, and do not ask again."""
        choice, *waiting = self.waiting
        after = replace(self, decided=(*self.decided, *choice.findings), waiting=tuple(waiting))
        return after if waiting else after._end_pass()

    def stop(self) -> Passes:
        """Make what is taken, and leave all that was not decided on."""
        return replace(self._make_taken(), waiting=())

    def edit(self, edits: tuple[Edit, ...]) -> Passes:
        """Put ``edits``, which a person wrote for the document as ``settled`` gives it, in the place of the next fix.

        Raises:
            SourceError: the edited text can't be parsed, or not be written.
            EditConflictError: the edits do not fit the text.
        """
        self.examination.after(edits)
        choice, *waiting = self.waiting
        return replace(self, waiting=(Choice(edits, choice.findings, is_edited=True), *waiting))

    def settled(self) -> Passes:
        """Make what is taken, and keep the next fix in front where it is still there."""
        if not self.taken:
            return self
        after = self._make_taken()._choose()
        wanted = self.waiting[0].fingerprints
        ordered = sorted(after.waiting, key=lambda choice: choice.fingerprints != wanted)
        return replace(after, waiting=tuple(ordered))

    def objection(self) -> str:
        """Return what speaks against the next fix as a person edited it: what it leaves, or brings anew."""
        choice = self.waiting[0]
        after = self.examination.after(choice.edits)
        return find_objection(self.examination, after, choice.findings, choice.edits)

    def _undecided(self) -> list[Finding]:
        return [finding for finding in self.findings if finding not in self.decided]

    def _end_pass(self) -> Passes:
        is_automatic = bool(self.taken) and not self.taken[-1].is_edited
        after = replace(self._make_taken(), count=self.count + is_automatic)
        return after if after.is_stuck else after._choose()

    def _choose(self) -> Passes:
        return replace(self, waiting=tuple(choose(self._undecided(), self.settings)))

    def _make_taken(self) -> Passes:
        if not self.taken:
            return self
        decided = self.decided
        if self.taken[-1].is_edited:
            (choice,) = self.taken
            examination = self.examination.after(choice.edits)
            made, refused = [choice], list[tuple[Choice, str]]()
            decided += choice.findings
        else:
            examination, made, refused = make_choices(self.examination, self.taken)
        findings = select_findings(examination, self.settings)
        edits = [edit for choice in made for edit in choice.edits]
        return replace(
            self,
            examination=examination,
            findings=findings,
            waiting=(),
            taken=(),
            decided=_find_again(decided, edits, findings),
            made=(*self.made, *made),
            refused=(*self.refused, *refused),
        )


def begin(document: Document, settings: Settings) -> Passes:
    """Look at ``document`` and return the state in front of the first decision.

    Raises:
        SourceError: the text can't be parsed.
    """
    settings = settings.for_file(document.source.path)
    examination = examine(document)
    findings = select_findings(examination, settings)
    return Passes(document, settings, findings, examination, findings, tuple(choose(findings, settings)))


def count_fixes(findings: Iterable[Finding], settings: Settings) -> int:
    """Return how many fixes ``settings`` let be made, of which some may overlap."""
    fixes = (finding.fix for finding in findings if is_allowed(finding.fix, settings))
    return len({fix.edits for fix in fixes if fix is not None})


def is_allowed(fix: Fix | None, settings: Settings) -> bool:
    """Return whether ``settings`` let a fix be made."""
    return fix is not None and (fix.is_safe or settings.unsafe_fixes)


def choose(findings: Iterable[Finding], settings: Settings) -> list[Choice]:
    """Return the fixes to make in one pass.

    Findings come by position: of fixes that overlap the first wins, the rest is looked at again in the next pass.
    """
    chosen: dict[tuple[Edit, ...], list[Finding]] = {}
    for finding in findings:
        if not is_allowed(finding.fix, settings) or finding.fix is None:
            continue
        edits = finding.fix.edits
        if edits in chosen:
            # Verified together only where one proposal stands behind both.
            if finding.proposal == chosen[edits][0].proposal:
                chosen[edits].append(finding)
        elif not any(find_conflict(edits, others) for others in chosen):
            chosen[edits] = [finding]
    return [Choice(edits, tuple(group)) for edits, group in chosen.items()]


def make_choices(
    examination: Examination, choices: Sequence[Choice]
) -> tuple[Examination, list[Choice], list[tuple[Choice, str]]]:
    """Make all ``choices``; where they do not go together, as many as do, in the order that they came in.

    Return what is found then, which were made, and which were not, with the reasons.
    """
    outcome = _try(examination, choices)
    if isinstance(outcome, Examination):
        return outcome, list(choices), []
    made: list[Choice] = []
    refused: list[tuple[Choice, str]] = []
    best = examination
    for choice in choices:
        outcome = _try(examination, [*made, choice])
        if isinstance(outcome, Examination):
            best = outcome
            made.append(choice)
        else:
            refused.append((choice, outcome))
    return best, made, refused


def _try(examination: Examination, choices: Sequence[Choice]) -> Examination | str:
    edits = [edit for choice in choices for edit in choice.edits]
    return try_edits(examination, edits, [finding for choice in choices for finding in choice.findings])


def _find_again(decided: Iterable[Finding], edits: Iterable[Edit], findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those of ``findings`` that are the ones in ``decided``, after ``edits`` moved the text.

    Several findings may have one fingerprint: the nearest is taken for the one that was decided on.
    """
    by_fingerprint: dict[str, list[Finding]] = {}
    for finding in findings:
        by_fingerprint.setdefault(finding.fingerprint, []).append(finding)
    again = []
    made = list(edits)
    for old in decided:
        start = _moved(old.span.start, made)
        if same := by_fingerprint.get(old.fingerprint):
            nearest = min(same, key=lambda finding: abs(finding.span.start - start))
            same.remove(nearest)
            again.append(nearest)
    return tuple(again)


def _moved(offset: int, edits: Iterable[Edit]) -> int:
    """Return where the character at ``offset`` is once ``edits`` are made."""
    return offset + sum(len(edit.new) - len(edit.old) for edit in edits if edit.span.end <= offset)
