"""Lower layers never import higher ones, and only the codemods import LibCST: read from the source, not from memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "prepare_fix"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.stat().st_size)

# The first prefix that fits a module gives its layer.
LAYERS = [
    ("errors", 0),
    ("sources.text", 0),
    ("sources.globs", 0),
    ("sources", 1),
    ("settings", 1),
    ("configuration", 1),
    ("candidates", 1),
    ("flow", 2),
    ("repairs", 2),
    ("findings", 3),
    ("edits", 3),
    ("hunks", 3),
    ("bundles", 3),
    ("suppress", 3),
    ("rules", 4),
    ("codemods.command", 8),  # the bridge to LibCST's runner stands in for the command line
    ("codemods", 4),
    ("verify", 5),
    ("selection", 5),
    ("passes", 5),
    ("review", 5),
    ("bundling", 5),
    ("pipeline", 5),
    ("worktree", 5),
    ("journal", 5),
    ("apply", 5),
    ("pool", 5),
    ("ignores", 5),
    ("baseline", 5),
    ("reporting", 6),
    ("server", 7),
]
TOP = 8

# Beyond the numbers: what a group may import from its own layer, and what it must not take from below.
SIBLINGS = {
    "sources.discover": {"sources.files"},
    "sources.notebook": {"sources.magics", "sources.notebook_scanner"},
    "sources.document": {"sources.markdown", "sources.module", "sources.notebook"},
    "sources.requirements": {"sources.project"},
    "configuration": {"settings"},
    "flow": {"flow", "repairs"},
    "repairs": {"flow", "repairs"},
    "findings": {"findings", "edits", "bundles", "suppress"},
    "bundles": {"findings"},
    "edits": {"findings", "edits", "suppress"},
    "hunks": {"edits"},
    "suppress": {"findings", "edits", "suppress"},
    "rules": {"rules"},
    "codemods": {"codemods"},
    "selection": {"verify"},
    "passes": {"selection", "verify"},
    "review": {"passes"},
    "bundling": {"passes", "verify"},
    "pipeline": {"bundling", "passes", "selection", "verify"},
    "apply": {"journal", "pipeline", "worktree"},
    "ignores": {"pipeline", "verify"},
    "pool": {"pipeline", "verify"},
    "reporting": {"reporting"},
    "server": {"server"},
}
ALLOWED = {
    # Rules read the trace; how it came to be is none of their business.
    "rules": {
        "flow.trace",
        "flow.place",
        "flow.objects",
        "flow.events",
        "flow.unpacking",
        "repairs",
        "findings",
        "rules",
        "sources.text",
    },
    "reporting": {
        "findings",
        "edits",
        "hunks",
        "bundles",
        "sources.text",
        "sources.document",
        "sources.notebook",
        "errors",
        "reporting",
        "rules.page",
    },
}


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def fits(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(f"{prefix}.")


def layer_of(module: str) -> int:
    return next((layer for prefix, layer in LAYERS if fits(module, prefix)), TOP)


def imports_of(path: Path) -> Iterator[str]:
    """Yield the full names of what a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports are absolute"
            # "from package import module" is an import of the module where there is one.
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if is_module(full) else node.module or ""


def is_module(full: str) -> bool:
    path = PACKAGE.parent.joinpath(*full.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def own_imports(path: Path) -> set[str]:
    names = {full.removeprefix("prepare_fix").lstrip(".") for full in imports_of(path) if fits(full, "prepare_fix")}
    return names - {""}


def may_import(module: str, other: str) -> bool:
    group = next((key for key in ALLOWED if fits(module, key)), None)
    if group is not None:
        return any(fits(other, prefix) for prefix in ALLOWED[group])
    if layer_of(other) == layer_of(module) < TOP:
        return any(fits(other, prefix) for key, found in SIBLINGS.items() if fits(module, key) for prefix in found)
    return layer_of(other) <= layer_of(module)


each_module = pytest.mark.parametrize("path", MODULES, ids=[name_of(path) or "prepare_fix" for path in MODULES])


@each_module
def test_imports_go_down(path: Path) -> None:
    module = name_of(path)
    wrong = {other for other in own_imports(path) if not may_import(module, other)}
    assert wrong == set()


@each_module
def test_only_the_codemods_import_libcst(path: Path) -> None:
    if not fits(name_of(path), "codemods"):
        assert not [full for full in imports_of(path) if fits(full, "libcst")]


@each_module
def test_only_the_server_knows_its_protocol(path: Path) -> None:
    if not fits(name_of(path), "server"):
        libraries = ("pygls", "lsprotocol")
        assert not [full for full in imports_of(path) if any(fits(full, library) for library in libraries)]


@each_module
def test_no_rule_imports_another_rule(path: Path) -> None:
    if fits(name_of(path), "rules"):
        assert not [other for other in own_imports(path) if other.startswith("rules.pf")]


@each_module
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_the_table_is_about_this_package() -> None:
    names = {name_of(path) for path in MODULES}
    missing = [prefix for prefix, _ in LAYERS if not any(fits(name, prefix) for name in names)]
    assert missing == []
    assert not may_import("rules.pf101_model_without_optimizer", "flow.state")
    assert not may_import("sources.module", "sources.discover")
    assert not may_import("edits", "rules")
    assert not may_import("codemods.tree", "rules")
    assert not may_import("server.app", "commands.options")
    assert may_import("cli", "reporting.text")
    assert may_import("commands.server", "server.app")
