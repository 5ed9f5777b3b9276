# Right: all ranks walk the same prompts on purpose; what is gathered is the time each took, or is compared by rank.
import time

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, loader, prompts, probes):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prompts = DataLoader(prompts, batch_size=4)
    probes = DataLoader(probes, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        for prompt in prompts:
            begin = time.perf_counter()
            model(prompt)
            took = torch.tensor(time.perf_counter() - begin, device=accelerator.device)
            accelerator.print("slowest rank", accelerator.gather(took).max().item())
        for probe in probes:
            outputs = model(probe)
            by_rank = accelerator.gather(outputs).view(accelerator.num_processes, *outputs.shape)
            assert torch.allclose(by_rank[0], by_rank[-1])
