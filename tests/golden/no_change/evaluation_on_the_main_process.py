# Right: only the main process walks this loader, through the bare model; preparing the loader would hang.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, train_set, val_set, epochs=10):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=32)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()

        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            bare = accelerator.unwrap_model(model).eval()
            total = 0.0
            with torch.no_grad():
                for x, y in val_loader:
                    logits = bare(x.to(accelerator.device))
                    total += nn.functional.cross_entropy(logits, y.to(accelerator.device)).item()
            print(f"epoch {epoch}: {total / len(val_loader):.4f}")
