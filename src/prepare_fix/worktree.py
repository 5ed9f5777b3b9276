"""Which files git would not bring back: asked before they are written.

A checked repository may come from anybody, and its settings may name programs. None of them is run here: no monitor, no
hook, no filter, nothing of a submodule, and nothing is fetched.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence

from prepare_fix.sources.discover import find_work_tree

_UNCOMMITTED = "it has uncommitted changes: commit or stash them, or use --allow-dirty"
_UNWATCHED = "git is told to overlook its changes (assume-unchanged or skip-worktree): use --allow-dirty"
_BATCH = 500
_PATIENCE = 30.0  # seconds for one batch: only a program that hangs needs as long
# What git hands to the programs that it runs itself, such as hooks, speaks of one repository; files may lie in others.
_OF_ONE_REPOSITORY = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_DIR GIT_GRAFT_FILE GIT_IMPLICIT_WORK_TREE "
    "GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_SHALLOW_FILE "
    "GIT_WORK_TREE"
).split()
_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "submodule.recurse": "false",
}
_LIST = ("--literal-pathspecs", "ls-files", "-v", "-z", "--")
_STATUS = (
    "--literal-pathspecs", "status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=all",
    "--no-renames", "--",
)  # fmt: skip


class _GitError(Exception):
    """Git could not be asked; the message is its last word."""


def find_uncommitted(paths: Iterable[str]) -> dict[str, str]:
    """Return those of ``paths`` that have changes which are not committed, each with the reason against writing it.

    Untracked files and files outside of a work tree are none of git's business. Where git can't tell, that is the
    reason.
    """
    by_root: dict[str, dict[str, str]] = {}
    for path in paths:
        real = os.path.realpath(path)
        if (root := _find_root(os.path.dirname(real))) is not None:
            by_root.setdefault(root, {})[os.path.relpath(real, root)] = path
    found: dict[str, str] = {}
    for root, files in by_root.items():
        try:
            changed = _find_changed(root, sorted(files))
        except _GitError as error:
            reason = (
                f"git can't tell whether it has uncommitted changes: {error} (--allow-dirty writes it all the same)"
            )
            found.update(dict.fromkeys(files.values(), reason))
        else:
            found.update((files[name], reason) for name, reason in changed.items())
    return found


def _find_root(folder: str) -> str | None:
    """Return the root of the work tree around ``folder`` that git itself would find."""
    root = find_work_tree(folder)
    # A ".git" that is a folder without a head is nothing to git, which then looks further up.
    while root is not None and os.path.isdir(place := os.path.join(root, ".git")):
        if os.path.lexists(os.path.join(place, "HEAD")):
            return root
        outer = os.path.dirname(root)
        root = find_work_tree(outer) if outer != root else None
    return root


def _find_changed(root: str, names: Sequence[str]) -> dict[str, str]:
    """Return those of ``names``, relative to ``root``, that may differ from the last commit, each with the reason."""
    environment = _environment(root)
    changed: dict[bytes, str] = {}
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        listed = _git(root, (*_LIST, *batch), environment)
        changed.update(dict.fromkeys(_read_unwatched(listed), _UNWATCHED))
        status = _git(root, (*_STATUS, *batch), environment)
        changed.update(dict.fromkeys(_read_status(status), _UNCOMMITTED))
    found = {os.fsdecode(name).replace("/", os.sep): reason for name, reason in changed.items()}
    return {name: reason for name, reason in found.items() if name in names}


def _read_unwatched(output: bytes) -> Iterator[bytes]:
    """Yield the names of the files whose changes ``git status`` hides, in what ``git ls-files -v -z`` prints."""
    for entry in output.split(b"\0"):
        # A small letter stands for assume-unchanged, an S for skip-worktree.
        if entry[:1].islower() or entry[:1] == b"S":
            yield entry[2:]


def _read_status(output: bytes) -> Iterator[bytes]:
    """Yield the names in what ``git status --porcelain=v2 -z`` prints (without renames)."""
    fields_before_name = {b"1": 8, b"u": 10}
    for entry in output.split(b"\0"):
        if (count := fields_before_name.get(entry[:1])) is not None:
            yield entry.split(b" ", count)[count]


def _environment(root: str) -> dict[str, str]:
    """Return the environment in which git runs nothing but itself."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    environment |= {
        # The repository of this folder or none: not one around it, nor one whose settings place it elsewhere.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(root),
        "GIT_WORK_TREE": root,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    filters = _git(root, ("config", "-z", "--name-only", "--get-regexp", r"^filter\."), environment, (0, 1))
    drivers = {os.fsdecode(name).rpartition(".")[0] for name in filters.split(b"\0") if name}
    overrides = [*_OVERRIDES.items()]
    for driver in sorted(drivers):
        overrides += [(f"{driver}.clean", ""), (f"{driver}.process", ""), (f"{driver}.required", "false")]
    # In the environment, since on the command line no name with "=" in it can be set.
    given = environment.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() else 0
    for index, (name, value) in enumerate(overrides, count):
        environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return environment | {"GIT_CONFIG_COUNT": str(count + len(overrides))}


def _git(root: str, arguments: Sequence[str], environment: dict[str, str], expected: Sequence[int] = (0,)) -> bytes:
    """Return what git prints."""
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-C", root, *arguments],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=_PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _GitError(f"it did not answer within {_PATIENCE:.0f} seconds") from error
    except OSError as error:
        raise _GitError(f"it could not be started: {error.strerror or error}") from error
    if done.returncode in expected:
        return done.stdout
    message = done.stderr.decode(errors="replace").strip()
    raise _GitError(message.splitlines()[0] if message else f"status {done.returncode}")
