"""How long an editor waits for the language server: from a change to the diagnostics, for a hover, for quick fixes."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from statistics import median
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient


class Editor:
    """One text in a client of a server of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._uri = path.resolve().as_uri()
        self._version = 0
        self._client = LanguageClient("benchmark", "1")
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self._published.put_nowait(params)

    async def start(self, command: list[str]) -> None:
        """Start the server and open the text."""
        await self._client.start_io(*command)
        await self._client.initialize_async(types.InitializeParams(types.ClientCapabilities()))
        self._client.initialized(types.InitializedParams())
        text = self._path.read_text(encoding="utf-8")
        self._lines = text.count("\n")
        item = types.TextDocumentItem(self._uri, "python", self._version, text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        self.diagnostics = await self._diagnostics()

    async def change(self) -> None:
        """Write a comment at the end and wait for the diagnostics."""
        self._version += 1
        end = types.Position(self._lines, 0)
        change = types.TextDocumentContentChangePartial(types.Range(end, end), "#")
        text = types.VersionedTextDocumentIdentifier(self._version, self._uri)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(text, [change]))
        self.diagnostics = await self._diagnostics()

    async def hover(self) -> None:
        """Ask for the page of the first finding."""
        position = self.diagnostics[0].range.start
        await self._client.text_document_hover_async(types.HoverParams(self._identifier, position))

    async def act(self) -> None:
        """Ask for the quick fixes of the first finding."""
        context = types.CodeActionContext([], [types.CodeActionKind.QuickFix])
        asked = types.CodeActionParams(self._identifier, self.diagnostics[0].range, context)
        await self._client.text_document_code_action_async(asked)

    async def stop(self) -> None:
        """End the server."""
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()

    def cost(self) -> tuple[float, float]:
        """Return the CPU seconds of the server so far and its mebibytes; zeros where the system does not tell."""
        process = self._client._server
        try:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0, 0.0
        return (int(fields[11]) + int(fields[12])) / 100, int(fields[21]) * 4096 / 2**20

    @property
    def _identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self._uri)

    async def _diagnostics(self) -> list[types.Diagnostic]:
        while True:
            # The same diagnostics come once more when nothing has changed for a while.
            published = await self._published.get()
            if published.version == self._version:
                return list(published.diagnostics)


async def timed(work: Awaitable[Any]) -> float:
    """Return the milliseconds that ``work`` takes."""
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


def tell(what: str, times: list[float]) -> None:
    """Print the middle and the ends."""
    print(f"{what:<24}{median(times):>8.0f} ms (from {min(times):.0f} to {max(times):.0f})")


async def measure(path: Path, command: list[str], rounds: int) -> None:
    """Measure one file and print what came out."""
    editor = Editor(path)
    print(f"{path.name}: {len(path.read_text(encoding='utf-8').splitlines())} lines")
    tell("start to diagnostics", [await timed(editor.start(command))])
    before, _ = editor.cost()
    changes = []
    for _ in range(rounds):
        await asyncio.sleep(0.25)
        changes.append(await timed(editor.change()))
    after, mebibytes = editor.cost()
    tell("change to diagnostics", changes)
    print(f"{'':<24}{(after - before) / rounds * 1000:>8.0f} ms of CPU, {mebibytes:.0f} MiB in the end")
    await asyncio.sleep(2)
    if editor.diagnostics:
        tell("hover", [await timed(editor.hover()) for _ in range(rounds)])
        tell("quick fixes", [await timed(editor.act()) for _ in range(rounds)])
    await editor.stop()


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--server", default=f"{sys.executable} -m prepare_fix server", help="the command to measure")
    options = parser.parse_args()
    for path in options.files:
        asyncio.run(measure(path, options.server.split(), options.rounds))


if __name__ == "__main__":
    main()
