# Right: the loaders are prepared under their keys and used under the same keys.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(model, datasets, epochs=3):
    accelerator = Accelerator()
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    loaders = {
        "train": DataLoader(datasets["train"], batch_size=32, shuffle=True),
        "valid": DataLoader(datasets["valid"], batch_size=64),
    }
    model, optimizer, loaders["train"], loaders["valid"] = accelerator.prepare(
        model, optimizer, loaders["train"], loaders["valid"]
    )

    for epoch in range(epochs):
        for phase in ("train", "valid"):
            model.train(phase == "train")
            total = 0.0
            for x, y in loaders[phase]:
                with torch.set_grad_enabled(phase == "train"):
                    loss = nn.functional.cross_entropy(model(x), y)
                if phase == "train":
                    accelerator.backward(loss)
                    optimizer.step()
                    optimizer.zero_grad()
                total += accelerator.gather(loss.detach().reshape(1)).mean().item()
            accelerator.print(f"{epoch} {phase}: {total / len(loaders[phase]):.4f}")
