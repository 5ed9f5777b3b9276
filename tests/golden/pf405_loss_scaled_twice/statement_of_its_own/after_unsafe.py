import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader
from torchvision.models import vit_b_16

accum_iter = 4
accelerator = Accelerator(gradient_accumulation_steps=accum_iter)


def fit(dataset):
    model = vit_b_16(num_classes=10)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    seen = 0.0
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(x), y)
            seen += loss.item()

            # the mean over the group
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return seen
