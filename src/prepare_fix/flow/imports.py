"""Functions and classes that come from other files of the project: followed, but told of where they are called.

What happens inside them is recorded at the call in the checked file, so that no finding points, and no repair reaches,
into a file that was not asked about. What the project does not have stays unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache

from prepare_fix.flow import recognise
from prepare_fix.flow.containers import Containers
from prepare_fix.flow.frames import Frame
from prepare_fix.flow.objects import Kind, Value
from prepare_fix.flow.outline import statements_of
from prepare_fix.sources.text import SourceText

FindModule = Callable[[str, str], SourceText | None]
"""Takes the name of a module, as an import has it, and the path of the importing file."""

MAX_MODULES = 24
_Import = ast.Import | ast.ImportFrom
_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign)
# A module without any of these does nothing to the objects of a training script.
_CONCERNED = re.compile(r"accelerat|\.prepare\b|\.backward\b|optim|DataLoader|\.step\(|from_pretrained|\bnn\.")
"""What a module has to speak of to be followed."""
_FOLLOWED = frozenset({Kind.FUNCTION, Kind.CLASS})


@lru_cache(maxsize=64)
def _parse(source: SourceText) -> tuple[ast.Module, tuple[_Import, ...]] | None:
    """Return the tree of a module and the imports in it, None where it does not parse.

    The scripts of one project import the same modules.
    """
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return tree, _imports_in(tree)


def _imports_in(tree: ast.Module) -> tuple[_Import, ...]:
    return tuple(each for each in statements_of(tree) if isinstance(each, (ast.Import, ast.ImportFrom)))


def path_in(module: str, name: str) -> str:
    """Return the dotted path of ``name`` in a module, which may be nothing but dots."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


class Imports(Containers):
    """Adds the definitions of other modules of the project."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.find_module: FindModule | None = None
        self._modules: dict[str, Frame | None] = {}
        self._trees: list[ast.Module] = []
        """Kept alive: nodes are known by their ids."""

    def load_imports(self) -> None:
        """Run the definitions of the modules that the checked file imports, before anything else."""
        if self.find_module is not None:
            self._load_all(_imports_in(self.tree), self.source)

    def _load_all(self, imports: tuple[_Import, ...], source: SourceText) -> None:
        for statement in imports:
            if isinstance(statement, ast.ImportFrom):
                module = "." * statement.level + (statement.module or "")
                self._load(module, source)
                for alias in statement.names:  # ``from package import module``
                    self._load(path_in(module, alias.name), source)
            else:
                for alias in statement.names:
                    self._load(alias.name, source)

    def _load(self, module: str, importer: SourceText) -> None:
        key = f"{importer.path}:{module}"
        if key in self._modules or len(self._modules) >= MAX_MODULES or self.find_module is None:
            return
        self._modules[key] = None
        found = self.find_module(module, importer.path)
        if found is None or not _CONCERNED.search(found.text):
            return
        frame = self._modules.get(found.path)
        if frame is None:
            parsed = _parse(found)
            if parsed is None:
                return
            tree, imports = parsed
            self._trees.append(tree)
            frame = self._modules[found.path] = Frame(self.new_id(("frame", found.path)), None, 0, None)
            self._load_all(imports, found)
            self._define(tree, found, frame)
        self._modules[key] = frame

    def _define(self, tree: ast.Module, source: SourceText, frame: Frame) -> None:
        """Run the definitions of a module in its own frame."""
        outer, own, statement, defining = self.frame, self.source, self.statement, self.is_defining_abroad
        self.frame, self.source, self.is_defining_abroad = frame, source, True
        self.run_block([statement for statement in tree.body if isinstance(statement, _DEFINING)])
        self.frame, self.source, self.statement, self.is_defining_abroad = outer, own, statement, defining

    def imported(self, module: str, name: str) -> Value | None:
        """Return the function or class that a module of the project has under ``name``, None where it is not known."""
        if f"{module}.{name}" in recognise.ACCELERATOR_CLASSES:
            return None  # in accelerate's own tree: the catalogue knows better what it does than its methods tell
        frame = self._modules.get(f"{self.source.path}:{module}") if self._modules else None
        value = self.state.get((frame.id, name)) if frame is not None else None
        if value is None or not all(self.kind_of(number) in _FOLLOWED for number, _ in value):
            return None
        return value
