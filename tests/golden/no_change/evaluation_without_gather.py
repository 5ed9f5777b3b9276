# Right: each process walks the whole evaluation set and keeps its own number, so that loader is not shared out.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model, loader, device):
    model.eval()
    correct = seen = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x.to(device)).argmax(dim=1).cpu() == y).sum().item()
            seen += len(y)
    model.train()
    return correct / seen


def main(train_set, eval_set):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    eval_loader = DataLoader(eval_set, batch_size=256)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(5):
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {evaluate(model, eval_loader, accelerator.device):.2%}")
