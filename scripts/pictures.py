"""Draw the pictures of ``docs/pictures/``: what the HTML report draws of a finding, as an image that stands alone.

python scripts/pictures.py             writes what differs
python scripts/pictures.py --check     writes nothing; status 1 where something differs
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import generated
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from prepare_fix import check_source
from prepare_fix.commands.options import known_rules
from prepare_fix.findings import Finding
from prepare_fix.reporting.html.tracks import TrackRow, draw_tracks
from prepare_fix.rules.page import split_docstring
from prepare_fix.sources.text import SourceText

FOLDER = Path("docs") / "pictures"
PICTURES = {
    "optimizer-left-raw.svg": "examples/classifier.py",
    "old-names.svg": "examples/finetune.py",
    "permuted.svg": "PF201",
    "unwrapped.svg": "PF303",
}
"""What a picture is drawn of: the first finding of a script, or of a rule's example."""

_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
# In pixels: a row of code, a row of words below it, a character of code; where the lanes begin.
_ROW, _WORDS, _CHARACTER, _LEFT = 26, 19, 7.9, 44
_TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{ width }} {{ height }}" width="{{ width }}" role="img">
<title>{{ title }}</title>
<style>
{{ style }}</style>
<defs>
{{ symbols }}</defs>
<rect class="paper" width="100%" height="100%"/>
{% for row, top, height in rows %}
<g transform="translate(0 {{ top }})">
{% if row.is_fault %}
<rect class="fault" width="100%" height="{{ height }}"/>
{% endif %}
<text class="place" x="{{ left - 10 }}" y="17">{{ row.place }}</text>
<svg x="{{ left }}" width="{{ lanes }}" height="{{ height }}">{{ track(row) }}</svg>
<text x="{{ left + lanes + 10 }}" y="17">{{ row.code|spans }}</text>
{% for words in row.words %}
<text class="words" x="{{ left + lanes + 10 }}" y="{{ 17 + step * loop.index }}">{{ words|spans }}</text>
{% endfor %}
</g>
{% endfor %}
</svg>
"""
_STYLE = """\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink); }
.place { fill: var(--faint); text-anchor: end; }
.words { font-family: system-ui, sans-serif; fill: var(--faint); }
.words tspan { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--ink); }
.paper { fill: var(--ground); stroke: var(--line); }
.fault { fill: var(--fault); }
"""


def expected_files(root: Path) -> dict[Path, str]:
    """Return what the pictures have to be, by path."""
    return {root / FOLDER / name: draw(*_find(root, of)) for name, of in PICTURES.items()}


def find_differences(root: Path) -> dict[Path, str | None]:
    """Return what the files that are not as they have to be should hold; None for a picture of nothing."""
    return generated.find_differences(expected_files(root), (root / FOLDER).glob("*.svg"))


def _find(root: Path, of: str) -> tuple[SourceText, Finding]:
    if of.endswith(".py"):
        text = (root / of).read_text(encoding="utf-8")
    else:
        (rule,) = (rule for rule in known_rules() if rule.code == of)
        found = _FENCE.search(split_docstring(rule)[1]["Example"])
        assert found, of
        text = found[1]
    return SourceText(text), check_source(text)[0]


def draw(source: SourceText, finding: Finding) -> str:
    """Return the picture of a finding, as SVG."""
    loader = PackageLoader("prepare_fix.reporting.html")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["spans"] = _as_spans
    drawing: Any = environment.get_template("drawing.html").module
    tracks = draw_tracks(source, finding)
    rows = list(_place(tracks.rows))
    longest = max(len(text.striptags()) for row in tracks.rows for text in (row.code, *row.words))
    return environment.from_string(_TEMPLATE).render(
        title=finding.message.replace("`", ""),
        style=Markup(_build_style(loader.get_source(environment, "style.css")[0])),
        symbols=Markup("".join(re.findall(r"<(?:circle|path) id=.*\n", drawing.symbols()))),
        track=drawing.track,
        rows=rows,
        left=_LEFT,
        lanes=tracks.width,
        step=_WORDS,
        width=round(_LEFT + tracks.width + 20 + _CHARACTER * longest),
        height=sum(rows[-1][1:]) + 6,
    )


def _place(rows: Iterable[TrackRow]) -> Iterator[tuple[TrackRow, int, int]]:
    """Yield each row with its top and its height."""
    top = 6
    for row in rows:
        height = _ROW + _WORDS * len(row.words)
        yield row, top, height
        top += height


def _as_spans(text: Markup) -> Markup:
    """Return a line of HTML as what SVG has for it."""
    told = str(text).replace("<span", "<tspan").replace("</span>", "</tspan>")
    return Markup(told.replace("<code>", "<tspan>").replace("</code>", "</tspan>"))


def _build_style(style: str) -> str:
    """Return the rules of the report that a drawing needs, with its colours on a light ground."""
    colours = dict(re.findall(r"(--[\w-]+): light-dark\((#\w+), ", style))
    drawn = re.findall(r"^(?:line|use|\.[a-z])[.,][^\n]*\n|^\.[a-z] {[^\n]*\n|^\.f, \.d {[^\n]*\n", style, re.MULTILINE)
    rules = _STYLE + "".join(drawn).replace("color:", "fill:")
    return re.sub(r"var\((--[\w-]+)\)", lambda match: colours[match[1]], rules)


def main(arguments: list[str]) -> int:
    """Write what differs, or with ``--check`` only tell."""
    root = Path(__file__).parent.parent
    return generated.bring_up_to_date(root, find_differences(root), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
