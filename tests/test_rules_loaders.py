"""What the rules about loaders and schedulers do where a script is odd: they find, or are silent, and never fail."""

from __future__ import annotations

from prepare_fix import check_source

OPTIMIZER_IN_THE_PLACE_OF_A_MODEL = """\
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.AdamW(model.parameters())
optimizer = accelerator.prepare(optimizer)
loader = DataLoader(range(64), batch_size=8)
for batch in loader:
    accelerator.backward(optimizer(batch).mean())
    optimizer.step()
"""


def test_loop_of_something_that_is_no_model() -> None:
    (finding,) = (each for each in check_source(OPTIMIZER_IN_THE_PLACE_OF_A_MODEL) if each.rule == "PF103")
    assert finding.status == "fixable-unsafe"
