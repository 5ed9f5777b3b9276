import torch
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size
from torch.utils.data import DataLoader


def train(build, dataset, epochs=10):
    accelerator = Accelerator()
    model, optimizer, loader = None, None, None

    @find_executable_batch_size(starting_batch_size=512)
    def attempt(batch_size):
        nonlocal model, optimizer, loader
        accelerator.free_memory()
        model = build()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for _ in range(epochs):
            for x, y in loader:
                loss = torch.nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()

    attempt()
    return accelerator.unwrap_model(model)
