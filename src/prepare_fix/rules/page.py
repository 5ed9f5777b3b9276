"""The page of a rule, and the table of all rules: made of their docstrings, for ``explain`` and for ``docs/``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from inspect import getdoc
from pathlib import Path
from typing import Protocol

PARTS = ("What it does", "Why it matters", "Example", "Use instead", "Fix safety", "Limits", "Source")
"""The parts of a rule's docstring, in order."""
_HEADING = re.compile(rf"^({'|'.join(PARTS)}):[ \t]*\n", re.MULTILINE)
_FENCE = re.compile(r"(```\w*\n.*?```)", re.DOTALL)
# A kind of fix is told by the word that a sentence begins with, or that "else" leads to.
_KIND = re.compile(r"(?:^|[.;,]\s+)(?:Always |else )?(safe|unsafe)\b", re.IGNORECASE)
_SILENCE = """\
- one finding: `# prepare-fix: ignore[{code}] reason` at the end of its line
- one file: `# prepare-fix: ignore-file[{code}] reason` in front of the first statement
- a project: `ignore = ["{code}"]` in the settings, or `--ignore {code}`"""


class Documented(Protocol):
    """What a rule tells of itself, beside its docstring."""

    @property
    def code(self) -> str:
        """Such as ``PF101``."""

    @property
    def name(self) -> str:
        """Such as ``model-without-optimizer``."""

    @property
    def summary(self) -> str:
        """One line."""


def split_docstring(rule: Documented) -> tuple[str, dict[str, str]]:
    """Return what stands above the first part of a rule's docstring, and the parts by heading."""
    first, *pieces = _HEADING.split(getdoc(type(rule)) or rule.summary)
    parts = {heading: textwrap.dedent(body).strip() for heading, body in zip(pieces[::2], pieces[1::2], strict=True)}
    return first.strip(), parts


def kinds_of_fix(rule: Documented) -> str:
    """Return ``safe``, ``unsafe``, ``safe or unsafe`` or ``none``, as the part *Fix safety* has it."""
    told = {kind.lower() for kind in _KIND.findall(split_docstring(rule)[1].get("Fix safety", ""))}
    return " or ".join(sorted(told)) or "none"


def file_name(code: str, name: str) -> str:
    """Return the name of a rule's page, such as ``pf101-model-without-optimizer.md``."""
    return f"{code.lower()}-{name}.md"


def page_url(code: str, name: str) -> str:
    """Return a link that opens the page of a rule, a file that comes with the program."""
    package = Path(__file__).parents[1]
    pages = package / "pages"
    # A checkout that is run without being built has them elsewhere.
    folder = pages if pages.is_dir() else package.parents[1] / "docs" / "rules"
    return (folder / file_name(code, name)).as_uri()


def render_page(rule: Documented) -> str:
    """Return the page of a rule, as Markdown."""
    first, parts = split_docstring(rule)
    sections = [f"# {rule.code} {rule.name}", first, f"Fix: {kinds_of_fix(rule)}."]
    sections += [f"## {heading}\n\n{body}" for heading, body in parts.items()]
    sections.append(f"## To silence it\n\n{_SILENCE.format(code=rule.code)}")
    return _as_markdown("\n\n".join(sections)) + "\n"


def render_table(rules: Iterable[Documented], folder: str) -> str:
    """Return the table of all rules, whose pages are in ``folder``, as Markdown."""
    rows = ["| code | name | what is wrong | fix |", "|---|---|---|---|"]
    for rule in rules:
        name = f"[{rule.name}]({folder}/{file_name(rule.code, rule.name)})"
        rows.append(f"| {rule.code} | {name} | {rule.summary} | {kinds_of_fix(rule)} |")
    return "\n".join(rows) + "\n"


def _as_markdown(text: str) -> str:
    """Return ``text`` with single backticks, except in blocks of code."""
    pieces = _FENCE.split(text)
    return "".join(piece if piece.startswith("```") else piece.replace("``", "`") for piece in pieces)
