"""What a run finds and proposes: plain, picklable values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Most runs come to nothing that holds one of these, and each class takes its time to make.
    from prepare_fix.bundles import Bundle
    from prepare_fix.edits import Edit
    from prepare_fix.repairs import Repair
    from prepare_fix.sources.text import SourceText, Span


class Applicability(Enum):
    """Whether a fix may be applied without a look (see the user's guide to safe and unsafe fixes)."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Certainty(Enum):
    """Whether the fault shows on every path that reaches the place, or on some."""

    EVERY_PATH = "every path"
    SOME_PATH = "some path"


class Form(Enum):
    """What of an object is at hand: itself, what prepare made of it, or the bare object taken out of that again."""

    RAW = "unprepared"
    PREPARED = "prepared"
    BARE = "bare"


class EventKind(Enum):
    """What happens to an object."""

    CREATED = "created"
    PREPARED = "prepared"
    UNWRAPPED = "unwrapped"
    USED = "used"


When = tuple[tuple[int, int], ...]
"""When something happens: where the calls that lead there end, outermost first, and where it ends itself (``ast`` lines
and columns). Sorted, they give the order in which a script runs: not that of its lines, where it has functions."""


@dataclass(frozen=True, slots=True)
class Related:
    """A further place of a finding: ``label`` says what happens there ("`model` is created", "the loop begins")."""

    span: Span
    label: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What happens to an object at ``span``, in a reader's words: ``label`` is such as "is created" or "steps".

    ``form`` is what is used, or what is at hand from there on: still the raw object where nobody takes what prepare
    returns, or where prepare gives it back untouched.
    """

    kind: EventKind
    span: Span
    label: str
    form: Form
    when: When = ()


@dataclass(frozen=True, slots=True)
class ObjectStory:
    """One object of a finding, and what happens to it, in the order in which it happens."""

    name: str
    role: str
    events: tuple[Event, ...] = ()

    @property
    def created(self) -> tuple[Span, ...]:
        """Where it is created, in the order of the source."""
        return self._spans(EventKind.CREATED)

    @property
    def prepared(self) -> tuple[Span, ...]:
        """The prepare calls that it is handed to."""
        return self._spans(EventKind.PREPARED)

    @property
    def used(self) -> tuple[Span, ...]:
        """The uses that the finding is about."""
        return self._spans(EventKind.USED)

    def _spans(self, kind: EventKind) -> tuple[Span, ...]:
        return tuple(sorted({event.span for event in self.events if event.kind is kind}))

    def told(self, event: Event) -> str:
        """Return what happens in ``event``: "`model` is created", "unprepared `model` is called for the loss"."""
        form = f"{event.form.value} " if event.kind is EventKind.USED else ""
        return f"{form}`{self.name}` {event.label}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The repairs that a rule asks for together (all or none), how sure it is, and a title for people."""

    title: str
    applicability: Applicability
    repairs: tuple[Repair, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """A proposal rendered by the codemods and verified: all edits, or none, are to be applied."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]

    @property
    def is_safe(self) -> bool:
        """Whether the fix may be made without a look."""
        return self.applicability is Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake at ``span``: ``story`` is what happens, ``consequence`` what breaks and in which mode, or empty.

    ``objects`` are those it is about, ``notes`` further places. ``fix`` is filled in by the pipeline once ``proposal``
    was rendered and verified; where there is none, ``why_no_fix`` says why in a reader's words. ``fingerprint`` has no
    line numbers: it is equal for the same mistake before and after unrelated lines come or go.
    """

    rule: str
    name: str
    story: str
    consequence: str
    span: Span
    fingerprint: str
    certainty: Certainty = Certainty.EVERY_PATH
    objects: tuple[ObjectStory, ...] = ()
    notes: tuple[Related, ...] = ()
    proposal: Proposal | None = None
    fix: Fix | None = None
    why_no_fix: str = ""

    @property
    def message(self) -> str:
        """The story and the consequence in one."""
        return f"{self.story}: {self.consequence}" if self.consequence else self.story

    @property
    def related(self) -> tuple[Related, ...]:
        """All places that the finding speaks of, in the order of the source."""
        told = {Related(event.span, story.told(event), event.when) for story in self.objects for event in story.events}
        return tuple(sorted(told | set(self.notes), key=lambda place: (place.span, place.label)))

    @property
    def status(self) -> str:
        """``fixable``, ``fixable-unsafe`` or ``not-fixable``."""
        if self.fix is None:
            return "not-fixable"
        return "fixable" if self.fix.is_safe else "fixable-unsafe"


@dataclass(frozen=True, slots=True)
class FileError:
    """A file that could not be done.

    ``kind`` is ``io``, ``encoding``, ``syntax``, ``refused`` or ``internal``; ``line`` counts from 1, in a notebook
    within the cell with the number ``cell``.
    """

    path: str
    kind: str
    message: str
    line: int | None = None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class FileResult:
    """The findings of one file, or its error, or both where single rules failed.

    After a ``check``, ``findings`` are all findings, with spans in ``source``, the text of ``before``. After a ``fix``
    or ``diff``, ``fixed`` are those that were mended (spans in the text as it came) and ``findings`` those that are
    left (spans in ``source``, the text with the fixes made); ``before`` and ``after`` are the bytes of the whole file,
    ``after`` is ``None`` where nothing changes. Where there is nothing to tell there is neither ``source`` nor
    ``before``. ``notes`` are details for a verbose run, such as tracebacks. ``skipped`` counts the blocks of a Markdown
    file that mention Accelerate and can't be parsed, ``known`` the findings that the baseline leaves out. ``bundles``
    are there where they were asked for.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    source: SourceText | None = None
    before: bytes = b""
    after: bytes | None = None
    error: FileError | None = None
    notes: tuple[str, ...] = ()
    skipped: int = 0
    bundles: tuple[Bundle, ...] = ()
    known: int = 0

    @property
    def fixed_text(self) -> str | None:
        """The text after the fixes, ``None`` where nothing changes."""
        return self.source.text if self.source is not None and self.after is not None else None
