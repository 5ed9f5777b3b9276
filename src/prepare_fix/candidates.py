"""Which files are worth a parse: told by a search for a few bytes, which spares most files all the rest."""

from __future__ import annotations

import re

# One of the methods that prepare something, also where a line ends behind the dot, or a string of a notebook.
_PREPARES = re.compile(rb"\.(?:[\s\",]|\\[nrt]?)*prepare(?:_model|_optimizer|_data_loader|_scheduler)?(?![A-Za-z0-9_])")


def is_candidate(raw: bytes) -> bool:
    """Return whether a rule can have something to say about a program with these bytes."""
    if b"accelerat" not in raw:
        return False
    # Names with "prepare" in them are many, and searching for the attribute alone would take long in all other files.
    return b"Accelerator" in raw or (b"prepare" in raw and _PREPARES.search(raw) is not None)
