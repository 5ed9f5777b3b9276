"""What a run is asked to look for, and where. Where these values come from is told in ``configuration``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from prepare_fix.sources.globs import Glob, Globs

DEFAULT_INCLUDE = (Glob("*.py"), Glob("*.ipynb"))


@dataclass(frozen=True, slots=True)
class Settings:
    """Codes are given by prefix: ``PF3`` is every rule whose code begins so, ``ALL`` is every rule.

    ``silenced`` are prefixes that leave a rule out whatever else is said of it; ``per_file_ignores`` become that for
    the files that their patterns cover. ``known`` has, by the real path of a file, how many findings of each
    fingerprint a baseline knows there; ``known_here`` are those of one file.
    """

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    per_file_ignores: tuple[tuple[Glob, tuple[str, ...]], ...] = ()
    include: tuple[Glob, ...] = DEFAULT_INCLUDE
    exclude: tuple[Glob, ...] = ()
    silenced: tuple[str, ...] = ()
    known: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    known_here: Mapping[str, int] = field(default_factory=dict, hash=False)

    def is_selected(self, code: str) -> bool:
        """Return whether the rule ``code`` is asked for: the longest prefix that fits decides, on a tie ``ignore``."""
        chosen = _specificity(code, (*self.select, *self.extend_select))
        ignored = _specificity(code, self.ignore)
        return chosen >= 0 and chosen > ignored and _specificity(code, self.silenced) < 0

    def for_file(self, path: str) -> Settings:
        """Return the settings for one file, which has no more need of ``per_file_ignores`` and ``known``."""
        if not self.per_file_ignores and not self.known:
            return self
        absolute = os.path.realpath(path)
        codes = [codes for glob, codes in self.per_file_ignores if Globs([glob]).covers(absolute)]
        silenced = tuple(sorted({*self.silenced, *sum(codes, ())}))
        known_here = self.known.get(absolute, {})
        return replace(self, silenced=silenced, per_file_ignores=(), known={}, known_here=known_here)


def fits_prefix(code: str, prefix: str) -> bool:
    """Return whether ``prefix`` stands for the rule ``code``."""
    return prefix == "ALL" or (prefix != "" and code.startswith(prefix))


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return what of ``known`` somebody may have meant who wrote ``word``; ``None`` where nothing is like it."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1)), None)


def find_prefix(word: str, codes: Iterable[str]) -> str | None:
    """Return the code, or beginning of codes, that somebody may have meant who wrote ``word``; ``None`` if nothing."""
    known = list(codes)
    capital = word.upper()
    return capital if any(fits_prefix(code, capital) for code in known) else find_nearest(capital, known)


def _specificity(code: str, prefixes: Iterable[str]) -> int:
    """Return the length of the longest prefix of ``code``, 0 for ``ALL``, -1 where none fits."""
    fitting = (0 if prefix == "ALL" else len(prefix) for prefix in prefixes if fits_prefix(code, prefix))
    return max(fitting, default=-1)
