"""Whatever somebody takes of a script's fixes: the rules themselves, and every choice that there is."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from prepare_fix.passes import Passes, begin
from prepare_fix.pipeline import check_document, fix_document, result_of
from prepare_fix.settings import Settings
from prepare_fix.sources.document import document_from_text

UNSAFE = Settings(unsafe_fixes=True)
SCRIPTS = {path.name: path.read_text() for path in (Path(__file__).parent.parent / "examples").glob("*.py")}
# Two optimizers that have to join one call, and a loss that goes its own way.
SCRIPTS["gan.py"] = """\
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
generator, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
first = torch.optim.Adam(generator.parameters())
second = torch.optim.Adam(judge.parameters())
data = torch.zeros(8, 2)
loader = DataLoader(data)
generator, judge, loader = accelerator.prepare(generator, judge, loader)
for batch in loader:
    loss = judge(generator(batch)).mean()
    loss.backward()
    first.step()
    second.step()
    first.zero_grad()
    second.zero_grad()
"""


def decide(text: str, answers: tuple[bool, ...]) -> tuple[Passes, int]:
    """Return the passes at their end, and how many questions there were; further ones are answered with no."""
    passes = begin(document_from_text(text, "train.py"), UNSAFE)
    asked = 0
    while passes.choice is not None:
        is_taken = asked < len(answers) and answers[asked]
        passes = passes.take() if is_taken else passes.leave()
        asked += 1
    return passes, asked


def found(passes: Passes) -> Counter[str]:
    return Counter(finding.fingerprint for finding in check_document(passes.examination.document, UNSAFE).findings)


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_choice_holds(name: str) -> None:
    nothing, number = decide(SCRIPTS[name], ())
    before = found(nothing)
    assert nothing.examination.document.source.text == SCRIPTS[name]
    assert number
    for answers in product([False, True], repeat=number):
        passes, _ = decide(SCRIPTS[name], answers)
        compile(passes.examination.document.source.text, name, "exec")
        mended = Counter(finding.fingerprint for choice in passes.made for finding in choice.findings)
        assert found(passes) <= before - mended, answers


@pytest.mark.parametrize("name", SCRIPTS)
def test_all_taken_is_what_fix_makes(name: str) -> None:
    passes, _ = decide(SCRIPTS[name], (True,) * 20)
    assert result_of(passes) == fix_document(document_from_text(SCRIPTS[name], "train.py"), UNSAFE)
    assert decide(passes.examination.document.source.text, ())[1] == 0
