"""The programs that an editor has open: their analyses, and what the editor is shown of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from traceback import format_exception
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from prepare_fix import __version__
from prepare_fix.errors import SettingsError
from prepare_fix.findings import FileResult
from prepare_fix.server.analysis import Analysis, analyse, warm_up
from prepare_fix.server.diagnostics import build_diagnostic
from prepare_fix.server.documents import find_owner, take_snapshot
from prepare_fix.server.places import Places
from prepare_fix.server.protocol import Protocol
from prepare_fix.server.worker import Worker
from prepare_fix.settings import Settings

# How long nothing must change before fixes are built that nobody asked for yet, in seconds.
_QUIET = 0.3


class Program:
    """One program that is open: its analysis as far as it has begun, and the texts that show diagnostics."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.analysis: asyncio.Task[Analysis | None] | None = None
        self.showing: asyncio.Task[None] | None = None
        self.shown: set[str] = set()
        self.resting_until = 0.0

    def forget(self) -> None:
        """Drop what is known of an older state."""
        for task in (self.analysis, self.showing):
            if task is not None:
                task.cancel()
        self.analysis = self.showing = None


class Server(LanguageServer):
    """Keeps an analysis of each open program, and shows what it found."""

    def __init__(self) -> None:
        super().__init__(
            "prepare-fix",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=types.NotebookDocumentSyncOptions(
                # All cells, since the number of a cell counts all of them.
                notebook_selector=[types.NotebookDocumentFilterWithNotebook(notebook="*")],
                save=True,
            ),
            protocol_cls=Protocol,
        )
        self.options: object = {}
        self.was_shut_down = False
        self._worker = Worker(warm_up)
        self._programs: dict[str, Program] = {}
        self._complaints: set[str] = set()

    # What is open

    def open(self, uri: str) -> None:
        """Begin to show what is found in the program ``uri``, or do so anew where it has changed."""
        self._restart(self._programs.setdefault(unquote(uri), Program(uri)))

    def reopen_all(self) -> None:
        """Look at all programs again: something changed that they depend on."""
        for program in self._programs.values():
            self._restart(program)

    def close(self, uri: str) -> None:
        """Show nothing of the program ``uri`` any more."""
        program = self._programs.pop(unquote(uri), None)
        if program is not None:
            program.forget()
            self._publish(program, {})

    def _restart(self, program: Program) -> None:
        program.forget()
        program.showing = asyncio.ensure_future(self._show(program))

    # Analyses

    async def current(self, uri: str) -> Analysis | None:
        """Return the analysis of the program that the text ``uri`` belongs to, as it is now."""
        program = self._programs.get(unquote(find_owner(self.workspace, uri)))
        return await self._analysis(program) if program is not None else None

    async def run(self, work: Callable[[], Any]) -> Any:
        """Do what takes long, and return what it returns."""
        return await self._worker.run(work)

    def places(self, analysis: Analysis) -> Places:
        """Return where the texts of an analysis are, in the units that the client counts in."""
        return Places(analysis.snapshot.texts, analysis.starts, self.workspace.position_codec.client_num_units)

    async def _analysis(self, program: Program) -> Analysis | None:
        if program.analysis is None:
            program.analysis = asyncio.ensure_future(self._analyse(program))
        # A request that is cancelled does not stop what others wait for.
        return await asyncio.shield(program.analysis)

    async def _analyse(self, program: Program) -> Analysis | None:
        snapshot = take_snapshot(self.workspace, program.uri)
        if snapshot is None:
            return None

        def timed() -> Analysis:
            began = time.monotonic()
            try:
                return analyse(snapshot, self.options)
            finally:
                ended = time.monotonic()
                # While somebody types, at most half of the time goes into looking.
                program.resting_until = ended + (ended - began)

        try:
            analysis = await self._worker.run(timed)
        except SettingsError as error:
            self._complain(str(error))
            return Analysis(snapshot, Settings(), FileResult(snapshot.path))
        self._log(analysis.result)
        return analysis

    # What the client is told

    async def _show(self, program: Program) -> None:
        """Show the findings, and once nothing changes any more, the same with their fixes."""
        try:
            await asyncio.sleep(program.resting_until - time.monotonic())
            analysis = await self._analysis(program)
            self._show_analysis(program, analysis)
            await asyncio.sleep(_QUIET)
            if analysis is not None and analysis.findings:
                for finding in analysis.findings:
                    await self._worker.run(partial(analysis.build_fixes, [finding]))
                self._show_analysis(program, analysis)
        except Exception as error:  # a fault of ours must not end the server
            self.report("".join(format_exception(error)))

    def _show_analysis(self, program: Program, analysis: Analysis | None) -> None:
        if analysis is None:
            self._publish(program, {})
            return
        places = self.places(analysis)
        found: dict[str, list[types.Diagnostic]] = {text.uri: [] for text in analysis.snapshot.texts}
        for finding in analysis.findings:
            found[places.locate(finding.span).uri].append(build_diagnostic(analysis, finding, places))
        versions = {text.uri: text.version for text in analysis.snapshot.texts}
        self._publish(program, found, versions)

    def _publish(
        self, program: Program, found: dict[str, list[types.Diagnostic]], versions: dict[str, int | None] | None = None
    ) -> None:
        for uri in program.shown - set(found):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for uri, diagnostics in found.items():
            version = (versions or {}).get(uri)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))
        program.shown = set(found)

    def _log(self, result: FileResult) -> None:
        """Tell of a fault of ours; a text that can't be parsed is none, and is left in peace while somebody types."""
        if result.error is not None and result.error.kind == "internal":
            self.report("\n".join([f"{result.path}: {result.error.message}", *result.notes]))

    def _complain(self, message: str) -> None:
        """Show what is wrong with the settings, once."""
        if message not in self._complaints:
            self._complaints.add(message)
            shown = types.ShowMessageParams(types.MessageType.Error, f"prepare-fix: {message}")
            self.window_show_message(shown)

    def report(self, message: str) -> None:
        """Write an error to the log of the client."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what the library would show: nobody can do anything about a message that could not be read."""
        self.report(f"{type(error).__name__}: {error}")
