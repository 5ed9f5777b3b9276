# Right: DeepSpeed takes one model, so a wrapper around the two is prepared for it. Its engine trains the modules in it,
# whoever calls them.
import torch
from accelerate import Accelerator, DistributedType
from torch import nn
from torch.utils.data import DataLoader


class Both(nn.Module):
    def __init__(self, encoder, head):
        super().__init__()
        self.encoder = encoder
        self.head = head


def train(dataset):
    accelerator = Accelerator()
    encoder, head = nn.Linear(12, 12), nn.Linear(12, 4)
    both = None
    if accelerator.distributed_type == DistributedType.DEEPSPEED:
        both = Both(encoder, head)
        encoder, head = both.encoder, both.head
    optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-4)
    loader = DataLoader(dataset, batch_size=4)
    if accelerator.distributed_type == DistributedType.DEEPSPEED:
        both, optimizer, loader = accelerator.prepare(both, optimizer, loader)
    else:
        encoder, head, optimizer, loader = accelerator.prepare(encoder, head, optimizer, loader)
    for x, y in loader:
        loss = nn.functional.cross_entropy(head(encoder(x)), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
