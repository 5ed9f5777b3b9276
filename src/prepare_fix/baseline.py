"""Findings that are known, so that only new ones count: by file and fingerprint, which have no line numbers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from prepare_fix.errors import SettingsError, SourceError
from prepare_fix.findings import FileResult
from prepare_fix.sources.files import read_file, write_file

VERSION = 1


def read_baseline(path: str) -> Mapping[str, Mapping[str, int]]:
    """Return the baseline in the file at ``path``: how many findings of each fingerprint there are in each real path.

    Raises:
        SettingsError: there is none.
    """
    try:
        content = json.loads(read_file(path))
        if content["version"] != VERSION:
            raise SettingsError(f"{path}: a baseline of version {content['version']}, {VERSION} was expected")
        folder = os.path.dirname(os.path.realpath(path))
        return {
            os.path.realpath(os.path.join(folder, name)): _checked(found) for name, found in content["files"].items()
        }
    except SourceError as error:
        raise SettingsError(f"{path}: {error.message}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SettingsError(f"{path}: no baseline (check --write-baseline makes one)") from error


def _checked(found: Any) -> dict[str, int]:
    if not all(isinstance(count, int) for count in found.values()):
        raise TypeError
    return dict(found)


def write_baseline(path: str, results: Iterable[FileResult]) -> int:
    """Write what is found as known to the file at ``path``; return how many findings that are.

    Raises:
        SourceError: it could not be written.
    """
    folder = os.path.dirname(os.path.realpath(path))
    files = {
        _name(result.path, folder): dict(sorted(Counter(finding.fingerprint for finding in result.findings).items()))
        for result in results
        if result.findings
    }
    content = {"version": VERSION, "files": dict(sorted(files.items()))}
    write_file(path, (json.dumps(content, indent=1) + "\n").encode("ascii"))
    return sum(sum(found.values()) for found in files.values())


def _name(path: str, folder: str) -> str:
    return os.path.relpath(os.path.realpath(path), folder).replace(os.sep, "/")
