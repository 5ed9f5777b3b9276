"""The language server and the world around it: settings, faults, haste, malformed messages, its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from editor import STAND_IN, Editor, span
from fakes import NEEDLES
from lsprotocol import types
from program import Program as CommandLine
from pygls.exceptions import JsonRpcException
from pygls.workspace import Workspace

from prepare_fix.server.documents import take_snapshot
from prepare_fix.server.session import Program, Server

SAFE = f"{NEEDLES}safe\n"


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "a.py").as_uri()


def tell_of_changed_settings(editor: Editor, path: Path) -> None:
    editor.published.clear()
    changed = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))


def configure(editor: Editor, options: object) -> None:
    editor.published.clear()
    params = types.DidChangeConfigurationParams({"other": {"x": 1}, "prepare-fix": options})
    editor.client.workspace_did_change_configuration(params)


def test_settings_are_those_nearest_to_the_text(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.prepare-fix]\nper-file-ignores = {"tests/" = ["PF3"]}\n')
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "prepare-fix.toml").write_text('ignore = ["PF3"]\nunsafe-fixes = true\n')
    for name, expected in {"a.py": ["PF301"], "tests/a.py": [], "inner/a.py": [], "other/a.py": ["PF301"]}.items():
        uri = (tmp_path / name).as_uri()
        editor.open(uri, SAFE)
        assert editor.codes(uri) == expected, name


def test_settings_that_change_count_at_once(editor: Editor, uri: str, tmp_path: Path) -> None:
    watchers = [each["globPattern"] for each in editor.registered[0].register_options["watchers"]]
    assert watchers == ["**/prepare-fix.toml", "**/pyproject.toml"]
    editor.open(uri, SAFE)
    assert editor.codes(uri) == ["PF301"]
    (tmp_path / "prepare-fix.toml").write_text('ignore = ["PF301"]\n')
    tell_of_changed_settings(editor, tmp_path / "prepare-fix.toml")
    assert editor.codes(uri) == []


@pytest.mark.parametrize("uri", ["file:///a%00b.py", "file:///x%00/a.py", "untitled:a%00", "file:///%ff%ed%a0%80.py"])
def test_a_name_that_no_file_can_have(editor: Editor, uri: str) -> None:
    known = len(editor.logged)
    configure(editor, {"per-file-ignores": {"tests/*": ["PF3"]}})
    editor.open(uri, SAFE)
    assert editor.codes(uri) == ["PF301"]
    configure(editor, {})
    assert editor.logged[known:] == []


def test_a_folder_of_the_workspace_that_can_not_be() -> None:
    workspace = Workspace("file:///work%00", workspace_folders=[types.WorkspaceFolder("file:///work%00", "work")])
    workspace.put_text_document(types.TextDocumentItem("untitled:a", "python", 1, SAFE))
    snapshot = take_snapshot(workspace, "untitled:a")
    assert snapshot is not None
    assert (snapshot.root, snapshot.folder) == (None, os.getcwd())


def test_wrong_settings_are_told_once_and_silence(editor: Editor, uri: str, tmp_path: Path) -> None:
    settings = tmp_path / "prepare-fix.toml"
    settings.write_text('ignore = ["PF999"]\n')
    editor.open(uri, SAFE)
    assert editor.codes(uri) == []
    editor.change(uri, SAFE * 2)
    assert editor.codes(uri) == []
    (told,) = [message for message in editor.shown if str(settings) in message]
    assert "prepare-fix.toml: ignore: no rule has a code that begins with 'PF999'" in told
    settings.write_text("")
    tell_of_changed_settings(editor, settings)
    assert editor.codes(uri) == ["PF301", "PF301"]


def test_the_editor_may_have_settings_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "prepare-fix.toml").write_text("unsafe-fixes = false\n")
    uri = (tmp_path / "a.py").as_uri()
    with Editor(options={"unsafe-fixes": True}) as editor:
        editor.open(uri, f"{NEEDLES}unsafe\n")
        (action,) = editor.actions(uri, span((0, 0), (0, 0)), ["source.fixAll"])
        assert action.title == "prepare-fix: make all fixes, unsafe ones too"
        assert editor.fix_all(uri) == f"{NEEDLES}good\n"
        configure(editor, {"ignore": ["PF3"]})
        assert editor.codes(uri) == []
        for wrong, told in (
            ({"unsafe_fixes": True}, "settings of the editor: there is no setting 'unsafe_fixes', did you mean"),
            ({"select": "PF3"}, "settings of the editor: select: must be a list of strings"),
            (["PF3"], "settings of the editor: tool.prepare-fix is no table"),
        ):
            configure(editor, wrong)
            assert editor.codes(uri) == []
            assert told in editor.shown[-1]
        configure(editor, None)
        assert editor.codes(uri) == ["PF301"]


def check_excluded(editor: Editor, folder: Path) -> None:
    root = folder / "build" / "project"
    root.mkdir(parents=True)
    (root / "prepare-fix.toml").write_text('exclude = ["legacy/", "*_old.py"]\n')
    expected = {"a.py": 1, "legacy/a.py": 0, "a_old.py": 0, ".venv/lib/a.py": 0, "run": 1}
    for name, count in expected.items():
        uri = (root / name).as_uri()
        editor.open(uri, SAFE)
        assert len(editor.diagnostics(uri)) == count, name
        assert bool(editor.actions(uri, span((1, 0), (1, 0)))) == bool(count), name


def test_excluded_files_are_silent(editor: Editor, tmp_path: Path) -> None:
    check_excluded(editor, tmp_path)


def test_in_a_workspace(tmp_path: Path) -> None:
    root = tmp_path / "build" / "project"
    with Editor(root=root) as editor:
        check_excluded(editor, tmp_path)
        outside = (tmp_path / "legacy" / "a.py").as_uri()
        editor.open(outside, SAFE)
        assert editor.codes(outside) == ["PF301"]
        configure(editor, {"exclude": ["a_old.py"], "per-file-ignores": {"/legacy/*.py": ["PF3"]}})
        assert editor.codes((root / "a_old.py").as_uri()) == editor.codes((root / "legacy/a.py").as_uri()) == []
        assert editor.codes((root / "a.py").as_uri()) == ["PF301"]
        # What is no file has the settings of the workspace.
        (root / "prepare-fix.toml").write_text('ignore = ["PF301"]\n')
        editor.open("untitled:a", SAFE)
        assert editor.codes("untitled:a") == []


def test_findings_of_the_baseline_are_known(editor: Editor, uri: str, program: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAFE)
    program("check", "--write-baseline", "known.json", "a.py")
    (tmp_path / "prepare-fix.toml").write_text('baseline = "known.json"\n')
    editor.open(uri, SAFE.replace("safe", "safe\nunsafe"))
    (found,) = editor.diagnostics(uri)
    assert found.message == "`unsafe` is found"
    (tmp_path / "known.json").write_text("{}")
    tell_of_changed_settings(editor, tmp_path / "known.json")
    assert editor.codes(uri) == []
    assert "known.json: no baseline" in editor.shown[-1]


def test_comments_silence(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}safe  # prepare-fix: ignore[PF301]\n")
    assert editor.codes(uri) == []
    editor.change(uri, f"# prepare-fix: skip-file\n{SAFE}")
    assert editor.codes(uri) == []


def test_a_rule_that_fails_costs_the_findings_of_no_other(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{SAFE}CRASH\n")
    assert editor.codes(uri) == ["PF301"]
    editor.until(lambda: any(uri.removeprefix("file://") in message for message in editor.logged))
    assert "PF101 could not be checked: ZeroDivisionError: planted" in editor.logged[-1]
    assert "Traceback (most recent call last)" in editor.logged[-1]
    editor.close(uri)  # it would fail again for others, where settings change


def test_an_engine_that_fails_is_logged(editor: Editor, uri: str, tmp_path: Path) -> None:
    editor.open(uri, f"{SAFE}ENGINE_FAILS\n")
    assert editor.codes(uri) == []
    editor.until(lambda: any("RuntimeError: the engine fails" in message for message in editor.logged))
    editor.change(uri, SAFE)
    assert editor.codes(uri) == ["PF301"]
    assert not [message for message in editor.shown if "engine" in message]


def test_a_fault_outside_of_the_analysis_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    told: list[str] = []
    monkeypatch.setattr(server, "report", told.append)
    asyncio.run(server._show(Program("untitled:a")))
    assert "The workspace is not available" in told[0]


def test_what_is_found_in_an_older_state_is_dropped(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}SLOW\nsafe\n")
    editor.pause(0.05)
    editor.change(uri, f"{NEEDLES}SLOW\nunsafe\n")
    editor.pause(0.05)
    editor.change(uri, f"{NEEDLES}SLOW\nsafe\nunsafe\n")
    assert len(editor.diagnostics(uri, times=2)) == 2
    assert {each.version for each in editor.published if each.uri == uri} == {3}


def test_requests_about_an_older_state_are_refused(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}SLOW\nsafe\n")
    asked = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(2, 0))

    async def hover() -> object:
        waiting = asyncio.create_task(editor.client.text_document_hover_async(asked))
        await asyncio.sleep(0.1)
        editor.change(uri, f"{NEEDLES}SLOW\nsafe\nsafe\n")
        return await waiting

    with pytest.raises(JsonRpcException, match="is canceled"):
        editor.wait(hover())
    assert len(editor.diagnostics(uri)) == 2


def test_three_hundred_changes(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}SLOW\n")
    began = time.monotonic()
    for number in range(300):
        editor.edit(uri, span((2, 0), (2, 0)), f"safe_{number}\n")
    assert len(editor.diagnostics(uri)) == 300
    # Each look takes a fifth of a second: most states were never looked at.
    assert time.monotonic() - began < 30
    assert len({each.version for each in editor.published if each.uri == uri}) < 30
    assert len(editor.actions(uri, span((2, 0), (2, 0)), ["quickfix"])) == 2


def test_malformed_messages_are_answered_or_dropped(editor: Editor, uri: str) -> None:
    def ask(method: str, params: object) -> None:
        message = {"jsonrpc": "2.0", "id": "mine", "method": method, "params": params}
        answer = editor.client.protocol._request_futures["mine"] = editor.future()
        editor.send(json.dumps(message).encode())
        with pytest.raises(JsonRpcException):
            editor.wait(answer)

    logged = len(editor.logged)
    editor.send(b"{")
    editor.send(b"[]")
    editor.send(b'{"jsonrpc": "2.0"}')
    editor.send(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": 3}}')
    editor.send(b'{"jsonrpc": "2.0", "method": "no/such/method"}')
    ask("textDocument/hover", {"position": "nowhere"})
    ask("textDocument/codeAction", None)
    ask("no/such/method", {})
    editor.texts["file:///never/opened.py"] = (1, "")
    editor.change("file:///never/opened.py", "x = 1\n")
    editor.close("file:///never/opened.py")
    assert editor.actions("file:///never/opened.py", span((0, 0), (9, 9))) == []
    assert editor.hover("file:///never/opened.py", types.Position(0, 0)) is None
    assert editor.resolve(types.CodeAction("x", data={"uri": "file:///never/opened.py"})).edit is None
    assert editor.resolve(types.CodeAction("x", data=3)).edit is None
    editor.open(uri, SAFE)
    assert editor.codes(uri) == ["PF301"]
    far = span((0, 0), (2**31 - 1, 2**31 - 1))
    assert len(editor.actions(uri, far)) == 3
    assert len(editor.logged) > logged
    assert not [message for message in editor.shown if "Error" in message]


def test_requests_before_the_introduction_are_refused() -> None:
    editor = Editor()
    editor.start()
    with pytest.raises(JsonRpcException):
        editor.hover("untitled:a", types.Position(0, 0))
    editor.open("untitled:a", SAFE)
    editor.client.exit(None)
    assert editor.end() == 1


def test_the_end_does_not_wait_for_an_analysis() -> None:
    with Editor() as editor:
        editor.open("untitled:a", f"{NEEDLES}VERY_SLOW\n")
        editor.pause(0.3)
        began = time.monotonic()
    assert editor.process.returncode == 0
    assert time.monotonic() - began < 20


def test_the_end_of_the_input_is_the_end() -> None:
    done = subprocess.run(STAND_IN, input=b"", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_signal_is_the_end() -> None:
    editor = Editor()
    editor.start()
    editor.introduce()
    editor.process.send_signal(signal.SIGTERM)
    assert editor.end() == -signal.SIGTERM


def test_a_stray_print_does_not_get_between_the_messages() -> None:
    with Editor() as editor:
        editor.open("untitled:a", f"{SAFE}PRINTS\n")
        assert editor.codes("untitled:a") == ["PF301"]
    assert b"a stray line" in editor.errors


def test_without_the_library() -> None:
    script = "import sys; sys.modules['pygls'] = None; from prepare_fix.cli import main; sys.exit(main(['server']))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "prepare-fix: error: the language server needs pygls 2: pip install 'prepare-fix[lsp]'\n"


def test_no_other_command_pays_for_it() -> None:
    script = "import sys; from prepare_fix.cli import main; main(['{}', '-h']); print(*sys.modules)"
    for name in ("check", "server"):
        done = subprocess.run([sys.executable, "-c", script.format(name)], capture_output=True, text=True, check=True)
        modules = set(done.stdout.splitlines()[-1].split())
        assert f"prepare_fix.commands.{name}" in modules
        assert not {"pygls", "lsprotocol", "asyncio", "prepare_fix.server"} & modules
