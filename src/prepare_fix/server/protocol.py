"""What the protocol asks for and its library does otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.workspace import TextDocument, Workspace

from prepare_fix.server.places import split_lines
from prepare_fix.sources.text import SourceText


class LineTrueDocument(TextDocument):
    """A document whose lines end where those of the protocol do: the library also takes form feeds and more for ends.

    Changes that come as ranges would else be made in other places than the editor made them.
    """

    @property
    def lines(self) -> Sequence[str]:
        """The lines, each with its end."""
        return split_lines(SourceText(self.source))


class LineTrueWorkspace(Workspace):
    """A workspace of such documents."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return LineTrueDocument(
            doc_uri, source, version, language_id, sync_kind=self._sync_kind, position_codec=self.position_codec
        )


class Protocol(LanguageServerProtocol):
    """Answers requests that can't be read, for which the client would wait for ever, and keeps lines true."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return ``data`` as a message.

        Raises:
            JsonRpcException: it is none.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def keep_lines_true(self, params: types.InitializeParams) -> None:
        """Put a workspace in the place of the library's, which is still empty."""
        made = self.workspace
        self._workspace = LineTrueWorkspace(
            made.root_uri, types.TextDocumentSyncKind.Incremental, params.workspace_folders, made.position_encoding
        )
