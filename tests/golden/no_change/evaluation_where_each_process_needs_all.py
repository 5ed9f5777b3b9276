# Right: nothing is gathered in the loop over the raw loader, or one process walks it, or the bare model does so for
# something else; what is gathered in a loop comes from a prepared loader.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, train_set, test_set, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = DataLoader(train_set, batch_size=64, shuffle=True)
    whole = DataLoader(test_set, batch_size=256)
    shared = DataLoader(test_set, batch_size=256)
    model, optimizer, loader, shared = accelerator.prepare(model, optimizer, loader, shared)
    for _ in range(epochs):
        for x, y in loader:
            accelerator.backward(nn.functional.mse_loss(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            errors = [nn.functional.mse_loss(model(x.to(accelerator.device)), y.to(accelerator.device)) for x, y in whole]
            accelerator.print(sum(errors) / len(errors))
            found = []
            for x, _ in shared:
                found.append(accelerator.gather_for_metrics(model(x)))
            for x, _ in whole:
                found.append(model(x.to(accelerator.device)))
        spread = accelerator.gather(torch.stack(errors).mean())
        accelerator.print(spread.std())
    statistics = torch.zeros(2)
    for x, _ in whole:
        statistics += accelerator.gather(torch.stack([x.mean(), x.std()]).to(accelerator.device)).reshape(-1, 2).mean(0)
    return statistics
