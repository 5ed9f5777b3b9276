# Unclear: the accelerator tells the device and the rank, everything else is plain torch on purpose.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def probe(features, labels, steps=500):
    accelerator = Accelerator()
    device = accelerator.device
    model = nn.Linear(features.shape[1], int(labels.max()) + 1).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = DataLoader(list(zip(features, labels)), batch_size=256, shuffle=True)

    step = 0
    while step < steps:
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step == steps:
                break
    if accelerator.is_main_process:
        print(f"fitted, {loss.item():.4f}")
    return model.cpu()
