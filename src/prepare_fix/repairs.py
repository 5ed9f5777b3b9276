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
    """Move the statement at ``statement`` behind the one at ``behind``, comments that belong to it included.

    ``instead`` is what takes its place there, if anything else: code on one line.
    """

    statement: Span
    behind: Span
    instead: str = ""


@dataclass(frozen=True, slots=True)
class SpliceArgument:
    """Hand the elements of a list or tuple display to the call one by one, instead of the display: the positional
    argument at ``index`` (0-based)."""

    site: Site
    index: int


@dataclass(frozen=True, slots=True)
class DropArguments:
    """Take the positional arguments at ``indexes`` (0-based) out of the call, with the targets at the same places."""

    site: Site
    indexes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnwrapRead:
    """Read from the bare model: ``expression``, which begins with the place ``receiver``, such as ``model.config`` or
    ``model.module.config``, becomes ``accelerator.unwrap_model(model).config``."""

    expression: Span
    receiver: str
    accelerator: str


@dataclass(frozen=True, slots=True)
class DropDivision:
    """Leave of the division at ``expression`` (``loss / steps``) what is divided."""

    expression: Span


@dataclass(frozen=True, slots=True)
class DropStatement:
    """Take out the statement; ``pass`` stands in where nothing else is left in its block. Comments right above it
    stay where they may speak of what follows too."""

    statement: Span


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """Put ``code``, one or more lines without indentation, behind the statement at ``behind``."""

    behind: Span
    code: str


@dataclass(frozen=True, slots=True)
class WrapAccumulate:
    """Put ``statements``, which follow each other in one block, under ``with accelerator.accumulate(models):``, and
    those of ``guarded``, which lie in them, under ``if accelerator.sync_gradients:`` as well."""

    statements: tuple[Span, ...]
    accelerator: str
    models: tuple[str, ...]
    guarded: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardStatement:
    """Put the statement under ``if test:``, where ``test`` is such as ``accelerator.sync_gradients``."""

    statement: Span
    test: str


@dataclass(frozen=True, slots=True)
class ReplaceExpression:
    """Put ``code`` in the place of an expression."""

    expression: Span
    code: str


@dataclass(frozen=True, slots=True)
class SetKeywords:
    """Give keyword arguments of a call: (name, value) each; ``None`` takes the argument out."""

    call: Span
    keywords: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class DropImport:
    """Take ``name``, as it is bound in the file, out of an import statement, or with it the whole statement."""

    statement: Span
    name: str


Repair = (
    JoinPrepare
    | BindTargets
    | MergePrepares
    | RenameUses
    | CallAccelerator
    | MoveStatement
    | SpliceArgument
    | DropArguments
    | UnwrapRead
    | DropDivision
    | DropStatement
    | InsertStatement
    | WrapAccumulate
    | GuardStatement
    | ReplaceExpression
    | SetKeywords
    | DropImport
)
