"""What the pipeline says of a snapshot: findings at once, and fixes, which take longer, as they are asked for."""

from __future__ import annotations

import importlib
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from prepare_fix.baseline import read_baseline
from prepare_fix.configuration import Configuration, read_editor_configuration
from prepare_fix.edits import Edit
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileResult, Finding, Proposal
from prepare_fix.ignores import build_ignores
from prepare_fix.pipeline import do_text, find_in_document, fix_document
from prepare_fix.rules import Rule, discover
from prepare_fix.server.documents import Snapshot, read_cells
from prepare_fix.server.places import Change, find_changed_lines
from prepare_fix.settings import Settings
from prepare_fix.sources.discover import is_left_out
from prepare_fix.sources.notebook import Notebook
from prepare_fix.sources.text import SourceText, Span
from prepare_fix.suppress import UnusedIgnore
from prepare_fix.verify import Examination, build_fixes

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document

Changes = dict[int, list[Change]]
"""Changes by the index of the text of the snapshot that their spans lie in."""


def known_rules() -> dict[str, Rule | UnusedIgnore]:
    """Return all that a finding can be of, by code."""
    rules: tuple[Rule | UnusedIgnore, ...] = (UnusedIgnore(), *discover())
    return {rule.code: rule for rule in rules}


def warm_up() -> None:
    """Import what the first analysis and the first fix need."""
    known_rules()
    importlib.import_module("prepare_fix.flow.trace")
    importlib.import_module("prepare_fix.codemods")


@dataclass(slots=True)
class Analysis:
    """The findings in ``snapshot``. All methods may take long, and are meant for one thread."""

    snapshot: Snapshot
    settings: Settings
    result: FileResult
    examination: Examination | None = None
    _fixed: dict[Proposal, tuple[Finding, ...]] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, with the fixes that are known so far."""
        return tuple(self._known(finding) for finding in self.result.findings)

    @property
    def starts(self) -> list[int]:
        """Where each text of the snapshot begins in the text that was analysed, in characters."""
        if self.examination is None or not self.snapshot.is_notebook:
            # A byte order mark, which some editors show as a part of the text, was not looked at.
            return [-self.snapshot.content.startswith("\ufeff")] * len(self.snapshot.texts)
        return [cell.span.start for cell in self.examination.document.source.cells]

    def build_fixes(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return ``findings``, some of this analysis, each with its fix or the reason for none."""
        chosen = tuple(findings)
        for proposal in dict.fromkeys(finding.proposal for finding in chosen):
            if proposal is not None and proposal not in self._fixed and self.examination is not None:
                # One proposal may stand behind several findings, and has to mend them all.
                group = [finding for finding in self.result.findings if finding.proposal == proposal]
                self._fixed[proposal] = build_fixes(self.examination, group)
        return tuple(self._known(finding) for finding in chosen)

    def _known(self, finding: Finding) -> Finding:
        fixed = self._fixed.get(finding.proposal, ()) if finding.proposal is not None else ()
        key = (finding.span, finding.fingerprint)
        return next((each for each in fixed if (each.span, each.fingerprint) == key), finding)

    def ignore(self, finding: Finding) -> Changes | None:
        """Return the changes that write a comment for the rule of ``finding`` on its line; ``None`` where none can."""
        if self.examination is None:
            return None
        source = self.examination.document.source
        line = source.position(finding.span.start).line
        same = [
            each
            for each in self.result.findings
            if each.rule == finding.rule and source.position(each.span.start).line == line
        ]
        edits = build_ignores(source, same)
        try:
            return self.split(edits) if edits else None
        except SourceError:
            return None  # the line belongs to IPython

    def split(self, edits: Iterable[Edit]) -> Changes:
        """Return ``edits``, whose spans lie in the analysed text, as changes of the texts of the snapshot.

        Raises:
            SourceError: an edit can't be made within the cells of a notebook.
        """
        changes = [(edit.span, edit.new) for edit in sorted(edits)]
        document = self.examination.document if self.examination is not None else None
        if isinstance(document, Notebook):
            changes = document.changes_in_cells(changes)
        starts = self.starts
        by_text: Changes = {}
        for span, new in changes:
            index = max(bisect_right(starts, span.start) - 1, 0)
            by_text.setdefault(index, []).append((Span(span.start - starts[index], span.end - starts[index]), new))
        return by_text

    def fix_all(self) -> Changes:
        """Return the changes that make exactly what ``fix`` would make of the program."""
        snapshot = self.snapshot
        result = do_text(snapshot.content, snapshot.path, self.settings, fix_document, in_tree=snapshot.is_file)
        if result.after is None or self.examination is None:
            return {}
        after = result.after.decode("utf-8", "surrogatepass")
        texts = read_cells(after) if snapshot.is_notebook else [after]
        pairs = zip(snapshot.texts, texts, strict=True)
        changes = {index: find_changed_lines(old.source, SourceText(new)) for index, (old, new) in enumerate(pairs)}
        return {index: changed for index, changed in changes.items() if changed}


def analyse(snapshot: Snapshot, options: object) -> Analysis:
    """Return what is found in ``snapshot``; ``options`` are the settings of the editor, on top of those of the project.

    What can't be parsed has no findings, and an error.

    Raises:
        SettingsError: the settings can't be used.
    """
    configuration = read_editor_configuration(snapshot.folder, options, snapshot.root or snapshot.folder)
    configuration.check_codes(known_rules())
    settings = configuration.settings()
    if _is_left_out(snapshot, configuration, settings):
        return Analysis(snapshot, settings, FileResult(snapshot.path))
    baseline = configuration.path("baseline") if snapshot.is_file else None
    if baseline is not None:
        settings = replace(settings, known=read_baseline(baseline))
    examined: list[Examination] = []

    def find(document: Document, settings: Settings) -> FileResult:
        examination, found = find_in_document(document, settings)
        examined.append(examination)
        return found

    result = do_text(snapshot.content, snapshot.path, settings, find, in_tree=snapshot.is_file)
    return Analysis(snapshot, settings, result, examined[0] if examined else None)


def _is_left_out(snapshot: Snapshot, configuration: Configuration, settings: Settings) -> bool:
    """Return whether the settings, or the folder that the file lies in, leave it out of a check of the workspace."""
    if not snapshot.is_file:
        return False
    root = snapshot.root or configuration.project_root or snapshot.folder
    return is_left_out(snapshot.path, root, settings.exclude)
