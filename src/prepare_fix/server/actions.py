"""What can be done about findings: quick fixes, comments that silence, and all fixes at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from prepare_fix.findings import Applicability, Finding
from prepare_fix.server.analysis import Analysis
from prepare_fix.server.diagnostics import SOURCE, build_diagnostic
from prepare_fix.server.places import Places

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
# Editors ask for this one once for a notebook, and for the other once for each cell, which would fix it several times.
NOTEBOOK_FIX_ALL = f"notebook.{FIX_ALL}"
KINDS = (types.CodeActionKind.QuickFix.value, FIX_ALL, NOTEBOOK_FIX_ALL)


def is_asked_for(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether ``kind`` is one of ``only``, or of a kind of these; without ``only`` all are asked for."""
    return only is None or any(not wanted or kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def fix_all_kind(analysis: Analysis) -> str:
    """Return the kind of the action that makes all fixes."""
    return NOTEBOOK_FIX_ALL if analysis.snapshot.is_notebook else FIX_ALL


def find_at(analysis: Analysis, uri: str, asked: types.Range, places: Places) -> tuple[Finding, ...]:
    """Return the findings that share a place with the range ``asked`` of the text ``uri``."""

    def is_there(found: types.Location) -> bool:
        return (
            found.uri == uri
            and _key(found.range.start) <= _key(asked.end)
            and _key(asked.start) <= _key(found.range.end)
        )

    return tuple(finding for finding in analysis.findings if is_there(places.locate(finding.span)))


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def build_quick_fixes(
    analysis: Analysis, findings: Iterable[Finding], places: Places, is_versioned: bool
) -> list[types.CodeAction]:
    """Return the fix of each finding, as far as there is one, and the comment that silences it. May take long."""
    actions = []
    for finding in analysis.build_fixes(findings):
        diagnostic = build_diagnostic(analysis, finding, places)
        if finding.fix is not None:
            is_safe = finding.fix.is_safe
            action = types.CodeAction(
                title=finding.fix.title if is_safe else f"{finding.fix.title} (unsafe)",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                is_preferred=is_safe or None,
                edit=places.build_edit(analysis.split(finding.fix.edits), is_versioned),
            )
            actions.append(action)
        silenced = analysis.ignore(finding)
        if silenced is not None:
            action = types.CodeAction(
                title=f"Disable {finding.rule} ({finding.name}) on this line",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=places.build_edit(silenced, is_versioned),
            )
            actions.append(action)
    return actions


def has_fixes(analysis: Analysis) -> bool:
    """Return whether there is a fix that the settings let be made, as far as is known yet."""
    unsafe = analysis.settings.unsafe_fixes

    def may_be_fixed(finding: Finding) -> bool:
        offered = finding.fix or (finding.proposal if not finding.why_no_fix else None)
        return offered is not None and (unsafe or offered.applicability is Applicability.SAFE)

    return any(may_be_fixed(finding) for finding in analysis.findings)


def build_fix_all(analysis: Analysis, edit: types.WorkspaceEdit | None) -> types.CodeAction:
    """Return the action that makes all fixes; without an ``edit`` the editor has to ask for it."""
    unsafe = "all fixes, unsafe ones too" if analysis.settings.unsafe_fixes else "all safe fixes"
    return types.CodeAction(
        title=f"prepare-fix: make {unsafe}",
        kind=fix_all_kind(analysis),
        edit=edit,
        data={"uri": analysis.snapshot.uri},
    )
