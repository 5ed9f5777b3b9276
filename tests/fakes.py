"""Stand-ins for the flow engine, the rules and the codemods, so that the layers around them are tested alone.

A finding of the stand-in rule is a word of the source: what becomes of it is told by how the word begins.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prepare_fix import codemods, verify
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.findings import Applicability, Event, EventKind, Finding, Form, ObjectStory, Proposal, Related
from prepare_fix.flow import trace
from prepare_fix.repairs import RenameUses, Repair
from prepare_fix.rules import Rule
from prepare_fix.sources.text import SourceText, Span

if TYPE_CHECKING:
    import pytest

NEEDLES = "import accelerate  # .prepare\n"

# word -> (what a repair puts in its place or None for no proposal, applicability)
WORDS = {
    "safe": ("good", Applicability.SAFE),
    "unsafe": ("good", Applicability.UNSAFE),
    "unfixable": (None, Applicability.SAFE),
    "stays": ("(stays)", Applicability.SAFE),
    "worsens": ("unfixable_new", Applicability.SAFE),
    "breaks": ("(", Applicability.SAFE),
    "refused": ("REFUSE", Applicability.SAFE),
    "foreign": ("\N{SNOWMAN}", Applicability.SAFE),
    "wide": ("+good+", Applicability.SAFE),
    "crash": ("good", Applicability.SAFE),
}
_WORD = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})(_\w+)?\b")


class WordRule(Rule):
    """A page.

    What it does: finds words.
    """

    code = "PF301"
    name = "stale-object"
    summary = "A word is found"

    def check(self, trace: object) -> Iterator[Finding]:
        assert isinstance(trace, SourceText)
        for match in _WORD.finditer(trace.text):
            kind = match.group(1)
            new, applicability = WORDS[kind]
            span = Span(*match.span())
            # "wide" words overlap: the repair takes in the character on both sides.
            area = Span(span.start - 1, span.end + 1) if kind == "wide" else span
            proposal = None
            if new is not None:
                proposal = Proposal(f"Replace `{match.group()}`", applicability, (RenameUses((area,), new),))
            yield Finding(
                rule=self.code,
                name=self.name,
                story=f"`{match.group()}` is found",
                consequence="",
                span=span,
                fingerprint=f"{self.code}:{match.group()}",
                objects=(
                    ObjectStory(
                        match.group(),
                        "model",
                        (
                            Event(EventKind.CREATED, span, "is created", Form.RAW, ((1, 0),)),
                            Event(EventKind.USED, span, "is used", Form.RAW, ((2, 0),)),
                        ),
                    ),
                ),
                notes=(Related(Span(0, span.end if span.start == 0 else 6), "it begins here", ((0, 0),)),),
                proposal=proposal,
                why_no_fix="" if proposal else "a person has to look",
            )


class CrashingRule(Rule):
    """Fails where the source says so."""

    code = "PF101"
    name = "crashing"
    summary = "Fails"

    def check(self, trace: object) -> Iterator[Finding]:
        assert isinstance(trace, SourceText)
        if "CRASH" in trace.text:
            raise ZeroDivisionError("planted")
        yield from ()


def render(source: SourceText, repairs: tuple[Repair, ...]) -> tuple[Edit, ...]:
    edits = []
    for repair in repairs:
        assert isinstance(repair, RenameUses)
        if repair.place == "REFUSE":
            raise CannotRewriteError("there is a comment in between")
        edits += [Edit(span, source.slice(span), repair.place) for span in repair.spans]
    return tuple(edits)


def build_trace(source: SourceText, find_module: object = None) -> SourceText:
    ast.parse(source.text)
    return source


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the stand-ins in the places of what they stand for."""
    rules = (CrashingRule(), WordRule())
    monkeypatch.setattr(trace, "build_trace", build_trace)
    monkeypatch.setattr(verify, "discover", lambda: rules)
    monkeypatch.setattr("prepare_fix.commands.options.discover", lambda: rules)
    monkeypatch.setattr(codemods, "render", render, raising=False)
