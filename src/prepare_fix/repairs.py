"""The repairs that a rule can ask for, as plain values. ``codemods/`` turns each into edits.

All spans are of the original text. A *site* names one prepare call: the call expression, and the
statement that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from prepare_fix.sources.text import Span


@dataclass(frozen=True, slots=True)
class Site:
    """A prepare call: the span of the call expression and of the simple statement it stands in."""

    call: Span
    statement: Span


@dataclass(frozen=True, slots=True)
class Addition:
    """One object to hand to a call: ``argument`` joins the arguments at ``index`` (0-based, counted in the
    original arguments), ``target`` the targets at the same index; ``None`` where the target is there already.
    Additions with one index keep their order."""

    index: int
    argument: str
    target: str | None


@dataclass(frozen=True, slots=True)
class JoinPrepare:
    """Add objects to the call at ``site``; with ``behind``, move the statement behind the one at that span."""

    site: Site
    additions: tuple[Addition, ...]
    behind: Span | None = None


@dataclass(frozen=True, slots=True)
class BindTargets:
    """Make ``targets`` what the statement at ``site`` assigns to: reordered, renamed, more, fewer, or the first
    ones of a statement whose result was thrown away."""

    site: Site
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergePrepares:
    """Drop the statement at ``first`` and hand its objects to the call at ``second``, in front of its own."""

    first: Site
    second: Site


@dataclass(frozen=True, slots=True)
class RenameUses:
    """Put the expression ``place`` (such as ``model`` or ``self.model``) at each of ``spans``."""

    spans: tuple[Span, ...]
    place: str


@dataclass(frozen=True, slots=True)
class CallAccelerator:
    """Send a call through the accelerator: ``loss.backward(retain_graph=True)`` becomes
    ``accelerator.backward(loss, retain_graph=True)`` (``receiver_is_argument``), and
    ``torch.nn.utils.clip_grad_norm_(p, 1.0)`` becomes ``accelerator.clip_grad_norm_(p, 1.0)``."""

    call: Span
    accelerator: str
    method: str
    receiver_is_argument: bool


@dataclass(frozen=True, slots=True)
class MoveStatement:
    """Move the statement at ``statement`` behind the one at ``behind``, comments that belong to it included."""

    statement: Span
    behind: Span


Repair = JoinPrepare | BindTargets | MergePrepares | RenameUses | CallAccelerator | MoveStatement
