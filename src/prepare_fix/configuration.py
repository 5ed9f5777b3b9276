"""Where settings come from: a file of the project, and the options of the command line on top."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prepare_fix.errors import SettingsError
from prepare_fix.settings import DEFAULT_INCLUDE, Settings, find_nearest, find_prefix, fits_prefix
from prepare_fix.sources.globs import Glob, is_pattern

OWN_FILE = "prepare-fix.toml"
PROJECT_FILE = "pyproject.toml"
TABLE = "prepare-fix"
DEFAULT = "default"
COMMAND_LINE = "command line"
EDITOR = "settings of the editor"
_ROOTLESS = (DEFAULT, COMMAND_LINE, EDITOR)
_MENTION = re.compile(rb"prepare[-_]fix")


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_codes_by_glob(value: object) -> bool:
    return isinstance(value, dict) and all(_is_strings(codes) for codes in value.values())


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: what it is without being set, what it must be, and how that is told."""

    default: Any
    is_valid: Callable[[object], bool]
    kind: str


_STRINGS = (_is_strings, "a list of strings")
KEYS: Mapping[str, Key] = {
    "select": Key(["ALL"], *_STRINGS),
    "extend-select": Key([], *_STRINGS),
    "ignore": Key([], *_STRINGS),
    "per-file-ignores": Key({}, _is_codes_by_glob, "a table from globs to lists of codes"),
    "unsafe-fixes": Key(False, lambda value: isinstance(value, bool), "true or false"),
    "include": Key([glob.pattern for glob in DEFAULT_INCLUDE], *_STRINGS),
    "extend-include": Key([], *_STRINGS),
    "exclude": Key([], *_STRINGS),
    "extend-exclude": Key([], *_STRINGS),
    "baseline": Key("", lambda value: isinstance(value, str), "the path of a file"),
    "jobs": Key(0, lambda value: type(value) is int and value >= 0, "a number of processes, or 0"),
}
_CODES = ("select", "extend-select", "ignore")


@dataclass(frozen=True, slots=True)
class Layer:
    """The keys that one source sets. Globs and paths in it are relative to ``root``."""

    origin: str
    root: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings in force, from the weakest layer to the strongest."""

    layers: tuple[Layer, ...] = field(default_factory=lambda: (_defaults(),))

    def values(self, key: str) -> Iterator[tuple[Any, Layer]]:
        """Yield each value of ``key`` that counts, with its layer: the strongest, or all where they add up."""
        found = [(layer.values[key], layer) for layer in self.layers if key in layer.values]
        yield from found if key.startswith("extend-") else found[-1:]

    def get(self, key: str) -> Any:
        """Return the value of ``key``; values that add up as one list."""
        values = [value for value, _ in self.values(key)]
        return [item for value in values for item in value] if key.startswith("extend-") else values[-1]

    def origin(self, key: str) -> str:
        """Return where the value of ``key`` comes from."""
        origins = [layer.origin for value, layer in self.values(key) if value or layer.origin != DEFAULT]
        return ", ".join(origins) or DEFAULT

    def path(self, key: str) -> str | None:
        """Return the path that ``key`` holds, ``None`` where it is empty."""
        ((value, layer),) = self.values(key)
        return _show(os.path.join(layer.root, value)) if value else None

    @property
    def project_root(self) -> str | None:
        """The folder that the file with settings speaks of; ``None`` where there is no such file."""
        return next((layer.root for layer in self.layers if layer.origin not in _ROOTLESS), None)

    def settings(self) -> Settings:
        """Return the values that checks and fixes need."""
        ((ignores, layer),) = self.values("per-file-ignores")
        return Settings(
            select=tuple(self.get("select")),
            extend_select=tuple(self.get("extend-select")),
            ignore=tuple(self.get("ignore")),
            unsafe_fixes=self.get("unsafe-fixes"),
            per_file_ignores=tuple((_read_glob(glob, layer), tuple(codes)) for glob, codes in ignores.items()),
            include=(*self._globs("include"), *self._globs("extend-include")),
            exclude=(*self._globs("exclude"), *self._globs("extend-exclude")),
        )

    def _globs(self, key: str) -> Iterator[Glob]:
        for patterns, layer in self.values(key):
            yield from (_read_glob(pattern, layer) for pattern in patterns)

    def names_codes(self) -> bool:
        """Return whether anything but the defaults speaks of single rules."""
        return any(key in layer.values for layer in self.layers[1:] for key in (*_CODES, "per-file-ignores"))

    def check_codes(self, known: Iterable[str]) -> None:
        """Compare the codes in all layers with those of all rules.

        Raises:
            SettingsError: a prefix fits no rule; names where it stands and the nearest that does.
        """
        codes = tuple(known)
        for layer in self.layers:
            for key in _CODES:
                _check_prefixes(layer, key, layer.values.get(key, ()), codes)
            for glob, prefixes in layer.values.get("per-file-ignores", {}).items():
                _check_prefixes(layer, f"per-file-ignores: {glob}", prefixes, codes)


def _read_glob(text: str, layer: Layer) -> Glob:
    """Return the glob for ``text``, which may also be a path as shells complete it: "./old" or an absolute one."""
    body = text.removeprefix("!")
    for folder in (os.curdir, layer.root):
        if folder and body.startswith(f"{folder}/"):
            body = body.removeprefix(folder)
    return Glob(text[: text.startswith("!")] + body, layer.root)


def read_configuration(config: str | None, is_isolated: bool, options: Mapping[str, Any]) -> Configuration:
    """Return the settings of ``config``, else of the nearest file, with ``options`` (by key) on top.

    Raises:
        SettingsError: a file can't be read or holds what is no setting.
    """
    found = [] if is_isolated else [_read_given(config)] if config is not None else [_find_nearest(os.getcwd())]
    layers = [layer for layer in found if layer is not None]
    command_line = Layer(COMMAND_LINE, os.getcwd(), options)
    _check_globs(command_line)
    return Configuration((_defaults(), *layers, command_line))


def read_editor_configuration(folder: str, options: object, root: str) -> Configuration:
    """Return the settings of the nearest file for ``folder``, with ``options`` of an editor on top.

    ``options`` should be a table as in a file in ``root``.

    Raises:
        SettingsError: a file can't be read, or holds what is no setting, as may ``options``.
    """
    found = _find_nearest(folder)
    return Configuration((_defaults(), *([found] if found else []), _checked(options, EDITOR, root)))


def _defaults() -> Layer:
    return Layer(DEFAULT, "", {name: key.default for name, key in KEYS.items()})


def _find_nearest(folder: str) -> Layer | None:
    """Return the settings of the first folder from ``folder`` upwards that has some; its own file comes first."""
    while True:
        for name in (OWN_FILE, PROJECT_FILE):
            path = os.path.join(folder, name)
            if os.path.exists(path) and not os.path.isfile(path):
                continue  # reading a named pipe would wait for whoever writes into it
            layer = _read_file(path, folder)
            if layer is not None:
                return layer
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _read_given(path: str) -> Layer:
    # What somebody names for this run speaks of the folder that the run starts in, wherever the file lies.
    layer = _read_file(path, os.getcwd())
    if layer is not None:
        return layer
    if not os.path.isfile(path):
        raise SettingsError(f"{path}: no such file")
    raise SettingsError(f"{path}: has no table [tool.{TABLE}]")


def _read_file(path: str, root: str) -> Layer | None:
    """Return the settings in the file at ``path``; ``None`` where there is no such file, or nothing for this tool."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{_show(path)}: {error.strerror or error}") from error
    is_project = os.path.basename(path) == PROJECT_FILE
    # Most projects have such a file and nothing in it for this tool: a parser is not needed to see that.
    if is_project and not _MENTION.search(raw):
        return None
    table = _parse(raw, path)
    if is_project:
        table = _own_table(table, path)
    return None if table is None else _checked(table, path, root)


def _parse(raw: bytes, path: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{_show(path)}: no valid TOML: {error}") from error


def _own_table(content: Any, path: str) -> Any:
    tools = content.get("tool", {})
    if not isinstance(tools, dict):
        return None
    misspelt = TABLE.replace("-", "_")
    if TABLE not in tools and misspelt in tools:
        raise SettingsError(f"{_show(path)}: the table is called [tool.{TABLE}], not [tool.{misspelt}]")
    return tools.get(TABLE)


def _checked(table: Any, path: str, root: str) -> Layer:
    shown = _show(path)
    if not isinstance(table, dict):
        raise SettingsError(f"{shown}: tool.{TABLE} is no table")
    for name, value in table.items():
        if name not in KEYS:
            advice = _advise(name, KEYS) or f" (settings: {', '.join(KEYS)})"
            raise SettingsError(f"{shown}: there is no setting {name!r}{advice}")
        if not KEYS[name].is_valid(value):
            raise SettingsError(f"{shown}: {name}: must be {KEYS[name].kind}")
    layer = Layer(shown, os.path.realpath(root), table)
    _check_globs(layer)
    return layer


def _check_globs(layer: Layer) -> None:
    for key in ("include", "extend-include", "exclude", "extend-exclude", "per-file-ignores"):
        for pattern in layer.values.get(key, ()):
            if not is_pattern(pattern):
                raise SettingsError(f"{_where(layer, key)}: {pattern!r} is no pattern")


def _check_prefixes(layer: Layer, key: str, prefixes: Iterable[str], codes: tuple[str, ...]) -> None:
    for prefix in prefixes:
        if prefix != "ALL" and not any(fits_prefix(code, prefix) for code in codes):
            near = find_prefix(prefix, (*codes, "ALL"))
            advice = f", did you mean {near!r}?" if near else ""
            raise SettingsError(f"{_where(layer, key)}: no rule has a code that begins with {prefix!r}{advice}")


def _advise(word: str, known: Iterable[str]) -> str:
    near = find_nearest(word, known)
    return f", did you mean {near!r}?" if near else ""


def _where(layer: Layer, key: str) -> str:
    return key if layer.origin == COMMAND_LINE else f"{layer.origin}: {key}"


def _show(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
