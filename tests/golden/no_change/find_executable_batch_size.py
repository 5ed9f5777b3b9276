# Right: every try builds its objects anew and prepares them; free_memory forgets those of the last try.
import torch
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import densenet121


def train(dataset, num_classes, epochs=10):
    accelerator = Accelerator()
    model, optimizer, loader = None, None, None

    @find_executable_batch_size(starting_batch_size=256)
    def attempt(batch_size):
        nonlocal model, optimizer, loader
        model, optimizer, loader = accelerator.free_memory(model, optimizer, loader)
        model = densenet121(num_classes=num_classes)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for _ in range(epochs):
            for images, labels in loader:
                loss = nn.functional.cross_entropy(model(images), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        return batch_size

    accelerator.print(f"trained with batches of {attempt()}")
    return accelerator.unwrap_model(model)
