"""The server itself: what the editor tells and asks, and what it is told."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from traceback import format_exception
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from prepare_fix import __version__
from prepare_fix.configuration import OWN_FILE, PROJECT_FILE, TABLE
from prepare_fix.errors import SettingsError
from prepare_fix.findings import FileResult
from prepare_fix.server.actions import (
    KINDS,
    build_fix_all,
    build_quick_fixes,
    find_at,
    fix_all_kind,
    has_fixes,
    is_asked_for,
)
from prepare_fix.server.analysis import Analysis, analyse, warm_up
from prepare_fix.server.diagnostics import build_diagnostic, render_hover
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


def build_server() -> Server:
    """Return a server that knows what to do about each message."""
    server = Server()
    _register_life(server)
    _register_texts(server)
    _register_settings(server)
    _register_requests(server)
    return server


def _register_life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        if isinstance(ls.protocol, Protocol):
            ls.protocol.keep_lines_true(params)
        ls.options = params.initialization_options or {}

    @server.feature(types.INITIALIZED)
    def initialized(ls: Server, params: types.InitializedParams) -> None:
        workspace = ls.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is not None and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in (OWN_FILE, PROJECT_FILE)]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("settings", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            ls.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: Server, params: None) -> None:
        ls.was_shut_down = True


def _register_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.open(find_owner(ls.workspace, params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.open(find_owner(ls.workspace, params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.close(find_owner(ls.workspace, params.text_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_did_open(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
        ls.open(find_owner(ls.workspace, params.notebook_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_did_change(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
        ls.open(find_owner(ls.workspace, params.notebook_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_did_close(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        ls.close(find_owner(ls.workspace, params.notebook_document.uri))


def _register_settings(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        # Other programs may import what was saved.
        ls.reopen_all()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def notebook_did_save(ls: Server, params: types.DidSaveNotebookDocumentParams) -> None:
        ls.open(find_owner(ls.workspace, params.notebook_document.uri))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        ls.reopen_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, dict) and TABLE in params.settings:
            ls.options = params.settings[TABLE] or {}
            ls.reopen_all()


def _register_requests(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(KINDS), resolve_provider=True))
    async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        return await _code_actions(ls, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(ls: Server, params: types.CodeAction) -> types.CodeAction:
        if isinstance(params.data, dict) and params.edit is None:
            analysis = await ls.current(str(params.data.get("uri")))
            params.edit = await _fix_all(ls, analysis) if analysis is not None else None
        return params

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
        return await _hover(ls, params)


async def _code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    analysis = await ls.current(params.text_document.uri)
    if analysis is None or not analysis.findings:
        return None
    only = params.context.only
    actions: list[types.CodeAction] = []
    if is_asked_for(types.CodeActionKind.QuickFix.value, only):
        places = ls.places(analysis)
        findings = find_at(analysis, params.text_document.uri, params.range, places)
        actions += await ls.run(partial(build_quick_fixes, analysis, findings, places, _knows_versions(ls)))
    if is_asked_for(fix_all_kind(analysis), only) and has_fixes(analysis):
        edit = None if _resolves_edits(ls) else await _fix_all(ls, analysis)
        actions.append(build_fix_all(analysis, edit))
    return actions


async def _fix_all(ls: Server, analysis: Analysis) -> types.WorkspaceEdit:
    changes = await ls.run(analysis.fix_all)
    return ls.places(analysis).build_edit(changes, _knows_versions(ls))


async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    analysis = await ls.current(params.text_document.uri)
    if analysis is None:
        return None
    places = ls.places(analysis)
    asked = types.Range(params.position, params.position)
    findings = find_at(analysis, params.text_document.uri, asked, places)
    if not findings:
        return None
    findings = await ls.run(partial(analysis.build_fixes, findings))
    content = types.MarkupContent(_hover_kind(ls), render_hover(findings))
    return types.Hover(content, places.locate(findings[0].span).range)


def _knows_versions(ls: Server) -> bool:
    workspace = ls.client_capabilities.workspace
    edit = workspace.workspace_edit if workspace is not None else None
    return edit is not None and bool(edit.document_changes)


def _resolves_edits(ls: Server) -> bool:
    document = ls.client_capabilities.text_document
    action = document.code_action if document is not None else None
    support = action.resolve_support if action is not None else None
    return support is not None and "edit" in support.properties


def _hover_kind(ls: Server) -> types.MarkupKind:
    document = ls.client_capabilities.text_document
    hover = document.hover if document is not None else None
    formats = hover.content_format if hover is not None else None
    return (
        types.MarkupKind.PlainText
        if formats and types.MarkupKind.Markdown not in formats
        else types.MarkupKind.Markdown
    )


def serve() -> int:
    """Serve on standard input and output, and return the exit status: 1 where the client did not say that it ends."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Nothing is written, so nothing has to be ended in order; and a thread that reads can't be interrupted.
        with contextlib.suppress(AttributeError, ValueError):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    server = build_server()
    with open(os.dup(sys.stdout.fileno()), "wb") as output, contextlib.redirect_stdout(sys.stderr):
        server.start_io(stdout=output)
    return 0 if server.was_shut_down else 1
