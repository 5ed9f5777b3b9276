"""What the server does about each message of the editor."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from functools import partial

from lsprotocol import types

from prepare_fix.configuration import OWN_FILE, PROJECT_FILE, TABLE
from prepare_fix.server.actions import (
    KINDS,
    build_fix_all,
    build_quick_fixes,
    find_at,
    fix_all_kind,
    has_fixes,
    is_asked_for,
)
from prepare_fix.server.analysis import Analysis
from prepare_fix.server.diagnostics import render_hover
from prepare_fix.server.documents import find_owner
from prepare_fix.server.protocol import Protocol
from prepare_fix.server.session import Server


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


_OfNotebook = (
    types.DidOpenNotebookDocumentParams | types.DidChangeNotebookDocumentParams | types.DidSaveNotebookDocumentParams
)


def _register_texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def text_did_change(
        ls: Server, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
    ) -> None:
        ls.open(find_owner(ls.workspace, params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def text_did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.close(find_owner(ls.workspace, params.text_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def notebook_did_change(ls: Server, params: _OfNotebook) -> None:
        ls.open(find_owner(ls.workspace, params.notebook_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_did_close(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
        ls.close(find_owner(ls.workspace, params.notebook_document.uri))


def _register_settings(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_did_change(ls: Server, params: object) -> None:
        # Other programs may import what was saved.
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
