# Right: the accelerator and everything it prepares live inside the launched function.
import torch
from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import FakeData
from torchvision.transforms import ToTensor


def training_loop(mixed_precision="fp16", seed=42, batch_size=64):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=mixed_precision)
    loader = DataLoader(FakeData(image_size=(3, 32, 32), transform=ToTensor()), batch_size=batch_size, shuffle=True)
    model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(2):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


notebook_launcher(training_loop, ("fp16", 42, 64), num_processes=2)
