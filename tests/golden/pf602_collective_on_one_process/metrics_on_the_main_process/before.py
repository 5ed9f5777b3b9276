import torch
from accelerate import Accelerator


def main(model, train_loader, eval_loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    for x, y in train_loader:
        accelerator.backward(torch.nn.functional.cross_entropy(model(x), y))
        optimizer.step()
        optimizer.zero_grad()
    if accelerator.is_main_process:
        right = total = 0
        for x, y in eval_loader:
            with torch.no_grad():
                predictions = model(x).argmax(dim=-1)
            predictions, y = accelerator.gather_for_metrics((predictions, y))
            right += (predictions == y).sum().item()
            total += len(y)
        print(right / total)
