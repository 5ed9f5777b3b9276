# Right: timm's schedulers are stepped with a number and are no LRScheduler; accelerate leaves them alone.
import torch
from accelerate import Accelerator
from timm import create_model
from timm.scheduler import CosineLRScheduler
from torch.utils.data import DataLoader


def train(dataset, epochs=50):
    accelerator = Accelerator()
    model = create_model("vit_small_patch16_224", num_classes=102)
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05)
    scheduler = CosineLRScheduler(optimizer, t_initial=epochs * len(loader), warmup_t=5 * len(loader), t_in_epochs=False)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = 0
    for _ in range(epochs):
        for images, labels in loader:
            accelerator.backward(torch.nn.functional.cross_entropy(model(images), labels))
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
            scheduler.step_update(num_updates=updates)
