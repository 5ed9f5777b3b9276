"""Words that depend on the release of accelerate."""

from __future__ import annotations

from prepare_fix.flow.trace import Trace


def told_by_release(trace: Trace, release: tuple[int, ...], *, since: str, before: str, either: str) -> str:
    """Return the words for the releases of accelerate that the project asks for, with the place where it does so.

    ``since`` holds from ``release`` on, ``before`` for those before it, ``either`` tells of both.
    """
    releases = trace.releases
    if not releases.may_precede(release):
        return f"{since} ({releases.stated})"
    return either if releases.may_reach(release) else f"{before} ({releases.stated})"


def has_fsdp2(trace: Trace) -> bool:
    """Return whether the accelerate that the project asks for may be one with FSDP2, which came with 1.6."""
    return trace.releases.may_reach((1, 6))
