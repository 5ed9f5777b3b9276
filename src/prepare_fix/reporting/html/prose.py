"""Words as HTML: what stands in backticks is code."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from prepare_fix.reporting.html.code import highlight, render_line
from prepare_fix.rules.page import Documented, kinds_of_fix, split_docstring

_CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


def render_prose(text: str) -> Markup:
    """Return a sentence with its code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(piece.strip("`")) if index % 2 else escape(piece)
        for index, piece in enumerate(_CODE.split(text))
    )


def render_sentence(text: str) -> Markup:
    """Return words that stand alone, with a capital and a full stop."""
    return render_prose(f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}") if text else Markup()


@dataclass(frozen=True, slots=True)
class RulePage:
    """What a rule tells of itself; ``parts`` are headings and what stands under them."""

    code: str
    name: str
    summary: Markup
    kinds: str
    lead: Markup
    parts: tuple[tuple[str, Markup], ...]


def render_rule(rule: Documented) -> RulePage:
    """Return the page of a rule."""
    lead, parts = split_docstring(rule)
    told = tuple((heading, render_text(body)) for heading, body in parts.items())
    return RulePage(rule.code, rule.name, render_prose(rule.summary), kinds_of_fix(rule), render_text(lead), told)


def render_text(text: str) -> Markup:
    """Return paragraphs and blocks of code."""
    pieces = enumerate(_FENCE.split(text))
    return Markup("").join(part for index, piece in pieces for part in _render(piece, is_code=bool(index % 2)))


def _render(text: str, *, is_code: bool) -> Iterator[Markup]:
    if is_code:
        lines = highlight(textwrap.dedent(text).strip("\n").split("\n"))
        yield Markup("<pre><code>{}</code></pre>").format(Markup("\n").join(map(render_line, lines)))
        return
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph:
            yield Markup("<p>{}</p>").format(render_prose(paragraph))
