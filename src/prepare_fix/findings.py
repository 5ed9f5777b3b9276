"""What a run finds and proposes: plain, picklable values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Most runs come to nothing that holds one of these, and each class takes its time to make.
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


@dataclass(frozen=True, slots=True)
class Related:
    """A further place of a finding: ``label`` says what happens there ("created", "prepared", "steps")."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class ObjectStory:
    """One object of a finding, and the spans where it was created, prepared and used."""

    name: str
    role: str
    created: tuple[Span, ...] = ()
    prepared: tuple[Span, ...] = ()
    used: tuple[Span, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake at ``span``.

    ``fix`` is filled in by the pipeline once ``proposal`` was rendered and verified; where there is none,
    ``why_no_fix`` says why in a reader's words. ``fingerprint`` has no line numbers: it is equal for the same mistake
    before and after unrelated lines come or go.
    """

    rule: str
    name: str
    message: str
    span: Span
    fingerprint: str
    certainty: Certainty = Certainty.EVERY_PATH
    related: tuple[Related, ...] = ()
    objects: tuple[ObjectStory, ...] = ()
    proposal: Proposal | None = None
    fix: Fix | None = None
    why_no_fix: str = ""

    @property
    def status(self) -> str:
        """``fixable``, ``fixable-unsafe`` or ``not-fixable``."""
        if self.fix is None:
            return "not-fixable"
        return "fixable" if self.fix.applicability is Applicability.SAFE else "fixable-unsafe"


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
    file that mention Accelerate and can't be parsed.
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

    @property
    def fixed_text(self) -> str | None:
        """The text after the fixes, ``None`` where nothing changes."""
        return self.source.text if self.source is not None and self.after is not None else None
