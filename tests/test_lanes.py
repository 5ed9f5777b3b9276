"""The drawing of a finding: rows in the order in which the script runs, and a lane for each object."""

from __future__ import annotations

from pathlib import Path

import pytest

from prepare_fix import check_source
from prepare_fix.findings import Finding, Form
from prepare_fix.reporting.lanes import Drawing, draw
from prepare_fix.sources.text import SourceText

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("pf*/*/before.py"))
SIGNS = {Form.RAW: "r", Form.PREPARED: "P", Form.BARE: "b"}


def find(text: str, rule: str) -> Finding:
    return next(finding for finding in check_source(text) if finding.rule == rule)


def told(text: str, drawing: Drawing) -> list[str]:
    """Return a line for each row: its number, ``!`` for the fault, the forms at hand in each lane, and the words."""
    lines = []
    for index, row in enumerate(drawing.rows):
        cells = [
            "".join(SIGNS[each.form] for each in lane.segments if each.first <= index <= each.last) or "."
            for lane in drawing.lanes
        ]
        fault = "!" if row.fault is not None else ""
        lines.append(f"{row.line}{fault} {' '.join(cells)}: {'; '.join(row.words())}")
    return lines


def drawn(text: str, rule: str) -> list[str]:
    return told(text, draw(SourceText(text), find(text, rule)))


FORGOTTEN = """\
from accelerate import Accelerator
accelerator = Accelerator()
model = nn.Linear(2, 2)
optimizer = torch.optim.AdamW(model.parameters())
model, loader = accelerator.prepare(model, loader)
for x, y in loader:
    accelerator.backward(loss(model(x), y))
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_lane_for_each_object_in_the_order_in_which_they_come_to_be() -> None:
    assert drawn(FORGOTTEN, "PF101") == [
        "3 r .: `model` is created",
        "4 r r: `optimizer` is created",
        "5! rP r: `model` is prepared",
        "8 P r: unprepared `optimizer` steps",
    ]


def test_who_keeps_the_raw_object_has_both() -> None:
    text = FORGOTTEN.replace(
        "model, loader = accelerator.prepare(model, loader)",
        "net, optimizer, loader = accelerator.prepare(model, optimizer, loader)",
    )
    assert drawn(text, "PF301") == [
        "3 r: `model` is created",
        "5 rP: `model` is prepared, as `net`",
        "7! rP: unprepared `model` is called for the loss",
    ]


def test_what_nobody_takes_stays_raw() -> None:
    text = FORGOTTEN.replace("model, loader = accelerator.prepare(model, loader)", "accelerator.prepare(model)")
    assert drawn(text, "PF203") == [
        "3 r: `model` is created",
        "5! r: `model` is prepared, and nobody takes the result",
        "7 r: unprepared `model` is called for the loss",
    ]


def test_a_script_of_functions_is_told_in_the_order_in_which_it_runs() -> None:
    text = """\
from accelerate import Accelerator

def train(accelerator, model, loader, optimizer):
    for x, y in loader:
        accelerator.backward(loss(model(x), y))
        optimizer.step()
        optimizer.zero_grad()

def main():
    accelerator = Accelerator()
    model = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    model, loader = accelerator.prepare(model, DataLoader(data))
    train(accelerator, model, loader, optimizer)

main()
"""
    assert drawn(text, "PF101") == [
        "11 r .: `model` is created",
        "12 r r: `optimizer` is created",
        "13! rP r: `model` is prepared",
        "6 P r: unprepared `optimizer` steps",
    ]


def test_a_function_that_is_called_twice_is_told_of_once() -> None:
    text = """\
from accelerate import Accelerator

def step(model, x, y):
    return loss(model(x), y)

accelerator = Accelerator()
model = nn.Linear(2, 2)
optimizer = torch.optim.AdamW(model.parameters())
optimizer, loader = accelerator.prepare(optimizer, DataLoader(data))
for x, y in loader:
    accelerator.backward(step(model, x, y) + step(model, y, x))
    optimizer.step()
    optimizer.zero_grad()
"""
    assert drawn(text, "PF102") == [
        "7 r .: `model` is created",
        "8 r r: `optimizer` is created",
        "9! r rP: `optimizer` is prepared",
        "4 r P: unprepared `model` is called for the loss",
    ]


def test_the_bare_model_runs_beside_the_prepared_one() -> None:
    text = FORGOTTEN.replace(
        "model, loader = accelerator.prepare(model, loader)\n",
        "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
        "bare = accelerator.unwrap_model(model)\n",
    ).replace("model(x)", "bare(x)")
    assert drawn(text, "PF303") == [
        "3 r: `model` is created",
        "5 rP: `model` is prepared",
        "6 Pb: `model` is unwrapped",
        "8! Pb: bare `model` is called for the loss",
    ]


def test_what_happens_alike_is_told_of_all_at_once() -> None:
    text = FORGOTTEN.replace(
        "model, loader = accelerator.prepare(model, loader)",
        "every = accelerator.prepare(model, optimizer)\nevery.train()",
    )
    rows = drawn(text, "PF204")
    assert rows[2] == "5! rP rP: each of `model` and `optimizer` is prepared, into the tuple `every`"
    assert rows[3] == "6 P P: `every.train` fails"


def test_a_finding_without_objects_has_rows_alone() -> None:
    text = f"""\
{FORGOTTEN.replace("model, loader", "model, optimizer, loader")}
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()
"""
    assert drawn(text, "PF602") == ["11 : one process alone goes on here", "12! : waits for all processes"]


@pytest.mark.parametrize("path", CASES, ids=[f"{path.parent.parent.name}/{path.parent.name}" for path in CASES])
def test_every_golden_finding_can_be_drawn(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    source = SourceText(text)
    for finding in check_source(text):
        drawing = draw(source, finding)
        assert [row.fault for row in drawing.rows if row.fault is not None] == [finding.span]
        assert any(row.words() for row in drawing.rows), "nothing happens"
        assert len(drawing.lanes) == len(finding.objects)
        for index, lane in enumerate(drawing.lanes):
            marked = [number for number, row in enumerate(drawing.rows) for mark in row.marks if mark.lane == index]
            covered = {n for each in lane.segments for n in range(each.first, each.last + 1)}
            assert set(marked) <= covered, "something happens where the object is not drawn"
            assert min(covered) == marked[0]
        if finding.consequence:
            assert finding.message == f"{finding.story}: {finding.consequence}"
