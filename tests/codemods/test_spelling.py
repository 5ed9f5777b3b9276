"""Places are written as the file writes them."""

from __future__ import annotations

import pytest
from asking import expression, rewrite, sites

from prepare_fix.codemods.spelling import spell
from prepare_fix.repairs import Addition, BindTargets, JoinPrepare, RenameUses
from prepare_fix.sources.text import SourceText


@pytest.mark.parametrize(
    ("text", "place", "spelled"),
    [
        ('x = d["é"]', "d['é']", 'd["é"]'),
        ('é = d["a"].b', "d['a'].b", 'd["a"].b'),
        ("x = d['a']", "d['a']", "d['a']"),
        ("x = d[\"a\"]\ny = d['a']", "d['a']", 'd["a"]'),
        ("x = d[r'a']", "d['a']", "d[r'a']"),
        ('x = d[\n"a"]', "d['a']", "d['a']"),
        ("x = 1", "d['a']", "d['a']"),
        ("x = s . m", "s.m", "s.m"),
    ],
)
def test_spelling_of_the_file(text: str, place: str, spelled: str) -> None:
    assert spell(SourceText(text), place) == spelled


def test_each_codemod_asks_for_it() -> None:
    text = 'k["m"] = acc.prepare(k["m"])\nf(k["o"], x)\n'
    site, use = sites(text)[0], expression(text, "x")
    assert rewrite(text, BindTargets(site, ("k['m']", "k['o']"))).startswith('k["m"], k["o"] = ')
    assert rewrite(text, RenameUses((use,), "k['o']")).endswith('f(k["o"], k["o"])\n')
    joined = rewrite(text, JoinPrepare(site, (Addition(1, "k['o']", "k['o']"),)))
    assert joined.startswith('k["m"], k["o"] = acc.prepare(k["m"], k["o"])\n')
