"""The guide is true: its commands say what it shows, in its scripts is found what it says, its links lead somewhere.

In ``docs/guide``, a block ``console`` is a piece of a session: lines that begin with ``$`` are typed, those below are
what is printed, on both streams. A line ``...`` there stands for any lines. All blocks of a page are one session, in a
repository of git that holds ``examples/``. A comment ``<!-- file: NAME -->`` makes the next block a file of that name.
A comment ``<!-- finds: CODES -->`` says what is found in the next block, which may be ``nothing``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from prepare_fix import check_source

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
LINKED = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
MARK = "\x01"
_BLOCK = re.compile(
    r"(?:^<!-- (?P<kind>file|finds): (?P<name>.+?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
needs_shell = pytest.mark.skipif(
    shutil.which("bash") is None or shutil.which("git") is None, reason="needs bash and git"
)


def blocks_of(page: Path) -> list[re.Match[str]]:
    return list(_BLOCK.finditer(page.read_text(encoding="utf-8")))


# --- sessions --------------------------------------------------------------------------------------------------------


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the variables of somebody who has the tool in their path, and a name in git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, module in (("prepare-fix", "prepare_fix"), ("all-repos-clone", "all_repos.clone")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        program.chmod(0o755)
    (folder / "python3").symlink_to(sys.executable)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "COV_"))}
    for name in ("FORCE_COLOR", "NO_COLOR", "LESS"):
        kept.pop(name, None)
    return kept | {
        "PATH": os.pathsep.join([str(folder), kept["PATH"]]),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONUTF8": "1",
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
    }


def run(commands: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
    """Return what each of ``commands`` prints, typed one after the other."""
    script = "".join(f"{command}\nprintf '{MARK}'\n" for command in commands)
    done = subprocess.run(
        ["bash", "--norc", "-c", f"exec 2>&1 </dev/null\n{script}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    *said, rest = done.stdout.split(MARK)
    assert len(said) == len(commands), rest
    return said


def split_session(body: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what it is said to print."""
    pieces = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    assert pieces[0] == "", "a session begins with a command"
    return list(zip(pieces[1::2], pieces[2::2], strict=True))


def fits(said: str, shown: str) -> bool:
    pattern = re.escape(shown).replace(r"\.\.\.\n", "(?:.*\n)*?")
    return re.fullmatch(pattern, said) is not None


@needs_shell
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_commands_say_what_is_shown(
    page: Path, tmp_path: Path, environment: dict[str, str], request: pytest.FixtureRequest
) -> None:
    blocks = [block for block in blocks_of(page) if block["language"] == "console" or block["kind"] == "file"]
    if "all_repos" in page.read_text(encoding="utf-8"):
        pytest.importorskip("all_repos")
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "examples", folder / "examples")
    commands = ["git init -q && git add -A && git commit -qm 'Begin'"]
    for block in blocks:
        if block["kind"] == "file":
            commands.append(f"cat > {block['name']} <<'END_OF_FILE'\n{block['body']}END_OF_FILE")
        else:
            commands += [command for command, _ in split_session(block["body"])]
    said = run(commands, folder, environment)[1:]
    text = page.read_text(encoding="utf-8")
    true = text
    for block in blocks:
        if block["kind"] == "file":
            assert said.pop(0) == ""
            continue
        session = split_session(block["body"])
        answers, said = said[: len(session)], said[len(session) :]
        told = "".join(
            f"$ {command}\n{shown if fits(answer, shown) else answer}"
            for (command, shown), answer in zip(session, answers, strict=True)
        )
        true = true.replace(block["body"], told)
    if true != text and request.config.getoption("--update-golden"):
        page.write_text(true, encoding="utf-8", newline="\n")
    assert true == text


# --- what is found ---------------------------------------------------------------------------------------------------

CLAIMS = [(page.stem, block) for page in PAGES for block in blocks_of(page) if block["kind"] == "finds"]


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"{page}-{number}" for number, (page, _) in enumerate(CLAIMS)])
def test_what_is_said_to_be_found_is_found(claim: tuple[str, re.Match[str]]) -> None:
    _, block = claim
    expected = [] if block["name"] == "nothing" else block["name"].split(", ")
    assert sorted(finding.rule for finding in check_source(block["body"])) == expected


# --- links -----------------------------------------------------------------------------------------------------------


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page, as GitHub makes them of its headings."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    headings = (after.content for token, after in pairwise(tokens) if token.type == "heading_open")
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(page: Path) -> list[str]:
    tokens = [
        child
        for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
        for child in token.children or ()
    ]
    return [
        str(token.attrs.get("href") or token.attrs.get("src"))
        for token in tokens
        if token.type in ("link_open", "image")
    ]


@pytest.mark.parametrize("page", LINKED, ids=[str(page.relative_to(ROOT)) for page in LINKED])
def test_links_lead_somewhere(page: Path) -> None:
    for link in links_of(page):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_every_page_can_be_reached() -> None:
    reached, new = set(), {ROOT / "README.md"}
    while new:
        reached |= new
        links = {(page.parent / link.partition("#")[0]).resolve() for page in new for link in links_of(page)}
        new = {path for path in links if path.suffix == ".md"} - reached
    assert [path.name for path in (ROOT / "docs").rglob("*.md") if path not in reached] == []
