"""What a run is asked to look for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prepare_fix.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Settings:
    """Codes are given by prefix: ``PF3`` is every rule whose code begins so, ``ALL`` is every rule."""

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe_fixes: bool = False

    def is_selected(self, code: str) -> bool:
        """Return whether the rule ``code`` is asked for: the longest prefix that fits decides, on a tie ``ignore``."""
        chosen = _specificity(code, (*self.select, *self.extend_select))
        return chosen >= 0 and chosen > _specificity(code, self.ignore)

    def check_codes(self, known: Iterable[str]) -> None:
        """Compare the prefixes with the codes of all rules.

        Raises:
            SettingsError: a prefix fits no rule; names the key and the prefix.
        """
        codes = tuple(known)
        for key in ("select", "extend_select", "ignore"):
            for prefix in getattr(self, key):
                if prefix != "ALL" and not any(_fits(code, prefix) for code in codes):
                    raise SettingsError(f"{key.replace('_', '-')}: no rule has a code that begins with {prefix!r}")


def _specificity(code: str, prefixes: Iterable[str]) -> int:
    """Return the length of the longest prefix of ``code``, 0 for ``ALL``, -1 where none fits."""
    fitting = (0 if prefix == "ALL" else len(prefix) for prefix in prefixes if _fits(code, prefix))
    return max(fitting, default=-1)


def _fits(code: str, prefix: str) -> bool:
    return prefix == "ALL" or (prefix != "" and code.startswith(prefix))
