"""An editor for tests of the language server: a client of a real server process, over its standard streams.

``Editor`` is a context manager; its methods wait for what they return. Its texts are those of ``open`` and ``change``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import stand_in
from lsprotocol import types
from pygls.lsp.client import LanguageClient

_Result = TypeVar("_Result")
PATIENCE = 30.0
REAL = (sys.executable, "-m", "prepare_fix", "server")
STAND_IN = tuple(stand_in.command("server"))
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def capabilities(
    encodings: Sequence[str] | None = None,
    versions: bool = True,
    resolves: bool = True,
    hovers: Sequence[types.MarkupKind] | None = None,
) -> types.ClientCapabilities:
    """Return what an editor is able to do."""
    resolving = types.ClientCodeActionResolveOptions(["edit"]) if resolves else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None,
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versions),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities()),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(data_support=True, resolve_support=resolving),
            hover=types.HoverClientCapabilities(content_format=hovers),
        ),
    )


def span(start: tuple[int, int], end: tuple[int, int]) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))


def offset(text: str, position: types.Position, encoding: str) -> int:
    """Return the offset of ``position`` as the protocol counts, independently of the server."""
    codec, size = _UNITS[encoding]
    lines = text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
    line_start = 0
    for _ in range(position.line):
        line_start += len(lines.pop(0)) + 1
        if text[line_start - 1 : line_start + 1] == "\r\n":
            line_start += 1
            lines.pop(0)
    line = lines[0].encode(codec)
    assert position.character * size <= len(line)
    return line_start + len(line[: position.character * size].decode(codec))


def apply(text: str, edits: Iterable[Any], encoding: str) -> str:
    """Return ``text`` with ``edits``, which must not overlap."""
    places = [(offset(text, e.range.start, encoding), offset(text, e.range.end, encoding), e.new_text) for e in edits]
    done = len(text) + 1
    for start, end, new in sorted(places, reverse=True):
        assert end <= done
        text, done = text[:start] + new + text[end:], start
    return text


class Editor:
    def __init__(
        self,
        command: Sequence[str] = STAND_IN,
        able: types.ClientCapabilities | None = None,
        root: Path | None = None,
        options: object = None,
    ) -> None:
        self._command = command
        self._able = able or capabilities()
        self._root = root
        self._options = options
        self._loop = asyncio.new_event_loop()
        self._heard = asyncio.Event()
        self.client = LanguageClient("editor", "1")
        self.texts: dict[str, tuple[int, str]] = {}
        self.published: list[types.PublishDiagnosticsParams] = []
        self.logged: list[str] = []
        self.shown: list[str] = []
        self.registered: list[types.Registration] = []
        self.encoding = "utf-16"
        self.errors = b""
        self._listen()

    def _listen(self) -> None:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)
            self._heard.set()

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            self.logged.append(params.message)
            self._heard.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(params: types.ShowMessageParams) -> None:
            self.shown.append(params.message)
            self._heard.set()

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registered += params.registrations
            self._heard.set()

    def __enter__(self) -> Editor:
        self.start()
        self.introduce()
        return self

    def introduce(self) -> None:
        folders = [types.WorkspaceFolder(self._root.as_uri(), "tests")] if self._root else None
        asked = types.InitializeParams(self._able, workspace_folders=folders, initialization_options=self._options)
        self.introduction = self.wait(self.client.initialize_async(asked))
        encoding = self.introduction.capabilities.position_encoding
        self.encoding = encoding.value if isinstance(encoding, types.PositionEncodingKind) else str(encoding)
        self.client.initialized(types.InitializedParams())

    def start(self) -> None:
        environment = stand_in.environment() if self._command == STAND_IN else None
        self.wait(self.client.start_io(*self._command, env=environment))

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.wait(self.client.shutdown_async(None))
            self.client.exit(None)
        self.end()

    def end(self) -> int:
        """Wait for the end of the server and return its status; ``errors`` is what it printed."""
        self.wait(self.client.stop())
        _, self.errors = self.wait(self.process.communicate())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        assert self.process.returncode is not None
        return self.process.returncode

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    def wait(self, awaited: Awaitable[_Result]) -> _Result:
        async def waiting() -> _Result:
            return await asyncio.wait_for(awaited, PATIENCE)

        return self._loop.run_until_complete(waiting())

    def pause(self, seconds: float) -> None:
        self._loop.run_until_complete(asyncio.sleep(seconds))

    def until(self, is_so: Callable[[], bool]) -> None:
        async def waiting() -> None:
            while not is_so():
                self._heard.clear()
                await self._heard.wait()

        self.wait(waiting())

    def future(self) -> asyncio.Future[Any]:
        return self._loop.create_future()

    def send(self, raw: bytes) -> None:
        """Send bytes as they are, with a header."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(raw), raw))

    # Texts

    def open(self, uri: str, text: str, language: str = "python") -> None:
        self.texts[uri] = (1, text)
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, text: str) -> None:
        """Put ``text`` in the place of the whole text."""
        self._change(uri, types.TextDocumentContentChangeWholeDocument(text), text)

    def edit(self, uri: str, at: types.Range, new: str) -> None:
        """Change a part of the text."""
        old = self.texts[uri][1]
        text = apply(old, [types.TextEdit(at, new)], self.encoding)
        self._change(uri, types.TextDocumentContentChangePartial(at, new), text)

    def _change(self, uri: str, change: Any, text: str) -> None:
        version = self.texts[uri][0] + 1
        self.texts[uri] = (version, text)
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def close(self, uri: str) -> None:
        identifier = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    # What the server says

    def publications(self, uri: str) -> list[types.PublishDiagnosticsParams]:
        """Return those of the current version so far."""
        version = self.texts[uri][0] if uri in self.texts else None
        return [each for each in self.published if each.uri == uri and each.version == version]

    def diagnostics(self, uri: str, times: int = 1) -> list[types.Diagnostic]:
        """Return the diagnostics of the current version once they were published so many times."""
        self.until(lambda: len(self.publications(uri)) >= times)
        return list(self.publications(uri)[-1].diagnostics)

    def codes(self, uri: str) -> list[str]:
        return [str(diagnostic.code) for diagnostic in self.diagnostics(uri)]

    def actions(
        self, uri: str, at: types.Range, only: Sequence[str | types.CodeActionKind] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext([], only=only)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, context)
        found = self.wait(self.client.text_document_code_action_async(asked))
        return [each for each in found or [] if isinstance(each, types.CodeAction)]

    def resolve(self, action: types.CodeAction) -> types.CodeAction:
        return self.wait(self.client.code_action_resolve_async(action))

    def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        asked = types.HoverParams(types.TextDocumentIdentifier(uri), position)
        return self.wait(self.client.text_document_hover_async(asked))

    def edited(self, edit: types.WorkspaceEdit | None) -> dict[str, str]:
        """Return the texts that ``edit`` changes, as they are then; it has to be for their current versions."""
        assert edit is not None and edit.changes is None and edit.document_changes is not None
        after = {}
        for change in edit.document_changes:
            assert isinstance(change, types.TextDocumentEdit)
            uri = change.text_document.uri
            version, text = self.texts[uri]
            assert change.text_document.version == version and uri not in after
            after[uri] = apply(text, change.edits, self.encoding)
        return after

    def fix_all(self, uri: str) -> str:
        """Return the text with all fixes made, as an editor would do when it saves."""
        actions = self.actions(uri, span((0, 0), (0, 0)), ["source.fixAll"])
        text = self.texts[uri][1]
        for action in actions:
            assert action.kind == "source.fixAll.prepare-fix" and action.edit is None
            text = self.edited(self.resolve(action).edit).get(uri, text)
        return text
