"""A place that may hold very many objects: nothing is known of it, and nothing is said of them."""

from __future__ import annotations

import pytest

from prepare_fix import check_source
from prepare_fix.flow.state import MAX_ALTERNATIVES
from prepare_fix.flow.trace import build_trace
from prepare_fix.sources.text import SourceText

# The same script with more and more ways to come to the model; the optimizer never goes through prepare.
HEAD = """
from accelerate import Accelerator
from torch import nn, optim

def fit(loader, ask):
    accelerator = Accelerator()
    model = nn.Linear(2, 1)
"""
WAY = """
    if ask({number}):
        model = nn.Linear(2, 1)
"""
TAIL = """
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    model, loader = accelerator.prepare(model, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
"""


def script(ways: int) -> str:
    return HEAD + "".join(WAY.format(number=number) for number in range(ways)) + TAIL


def gaps(text: str) -> set[str]:
    return {gap.reason for gap in build_trace(SourceText(text))._log.gaps}


@pytest.mark.parametrize("ways", [0, 10, MAX_ALTERNATIVES - 1])
def test_as_many_objects_as_a_place_holds_are_followed(ways: int) -> None:
    assert "too many objects in one place" not in gaps(script(ways))
    assert [finding.rule for finding in check_source(script(ways))] == ["PF101"]


@pytest.mark.parametrize("ways", [MAX_ALTERNATIVES, 3 * MAX_ALTERNATIVES])
def test_more_are_not(ways: int) -> None:
    assert "too many objects in one place" in gaps(script(ways))
    assert check_source(script(ways)) == []


def test_a_crowded_place_stays_unknown() -> None:
    """What is bound to it later is one of many ways too, as long as nobody knows which of them was taken."""
    ways = "".join(WAY.format(number=number) for number in range(MAX_ALTERNATIVES))
    again = "    model = nn.Linear(2, 1)\n"
    assert check_source(HEAD + ways + again + TAIL) == []


def test_any_number_of_prepare_calls_is_counted() -> None:
    calls = "".join(f"model_{number} = accelerator.prepare(nn.Linear(2, 1))\n" for number in range(60))
    text = f"from accelerate import Accelerator\nfrom torch import nn\naccelerator = Accelerator()\n{calls}"
    assert gaps(text) == set()
    assert max(len(call.earlier) for call in build_trace(SourceText(text)).prepare_calls) == 59
