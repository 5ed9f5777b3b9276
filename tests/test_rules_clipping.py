"""What PF402 makes of several clippings by one imported function."""

from __future__ import annotations

from prepare_fix import check_source, fix_source

KEYWORD_THAT_THE_ACCELERATOR_DOES_NOT_TAKE = """\
import torch
from accelerate import Accelerator
from torch.nn.utils import clip_grad_norm_

accelerator = Accelerator()
encoder, head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)
optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()])
encoder, head, optimizer = accelerator.prepare(encoder, head, optimizer)
for batch in torch.randn(8, 4):
    accelerator.backward(head(encoder(batch)).mean())
    clip_grad_norm_(encoder.parameters(), 1.0)
    clip_grad_norm_(head.parameters(), 1.0, error_if_nonfinite=True)
    clip_grad_norm_(**{"max_norm": 1.0}, parameters=head.parameters())
    optimizer.step()
    optimizer.zero_grad()
"""


def test_import_stays_where_a_call_of_it_can_not_go_through_the_accelerator() -> None:
    source = KEYWORD_THAT_THE_ACCELERATOR_DOES_NOT_TAKE
    by_hand, by_accelerator = "    clip_grad_norm_(encoder", "    accelerator.clip_grad_norm_(encoder"
    assert fix_source(source).text == source.replace(by_hand, by_accelerator)


def test_parameters_are_told_by_their_keyword_behind_a_mapping() -> None:
    *_, finding = check_source(KEYWORD_THAT_THE_ACCELERATOR_DOES_NOT_TAKE)
    assert finding.message.startswith("the gradients of `head.parameters()`")
