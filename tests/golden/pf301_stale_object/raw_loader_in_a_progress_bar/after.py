import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from tqdm.auto import tqdm


def fit(network, train_set, val_set, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    raw_train = DataLoader(train_set, batch_size=64, shuffle=True)
    raw_val = DataLoader(val_set, batch_size=64)
    network, optimizer, train, val = accelerator.prepare(network, optimizer, raw_train, raw_val)

    for epoch in range(epochs):
        network.train()
        bar = tqdm(enumerate(train), total=len(train), disable=not accelerator.is_main_process)
        for step, (x, y) in bar:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(network(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            if step % 20 == 0:
                bar.set_description(f"{epoch} {loss.item():.3f}")

        network.eval()
        with torch.no_grad():
            hits = [accelerator.gather_for_metrics(network(x).argmax(1) == y) for x, y in val]
        accelerator.print(f"accuracy {torch.cat(hits).float().mean().item():.3f}")
