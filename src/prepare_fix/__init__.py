"""Find and repair mistakes around ``Accelerator.prepare``, as functions of text.

Everything is imported at its first use: ``import prepare_fix`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prepare_fix.api import FixResult, check_source, fix_source
    from prepare_fix.edits import Edit
    from prepare_fix.findings import Applicability, Finding, Fix
    from prepare_fix.settings import Settings

__version__ = "0.1.0.dev0"

__all__ = [
    "Applicability",
    "Edit",
    "Finding",
    "Fix",
    "FixResult",
    "Settings",
    "__version__",
    "check_source",
    "fix_source",
]

_HOMES = {
    "Applicability": "findings",
    "Edit": "edits",
    "Finding": "findings",
    "Fix": "findings",
    "FixResult": "api",
    "Settings": "settings",
    "check_source": "api",
    "fix_source": "api",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
