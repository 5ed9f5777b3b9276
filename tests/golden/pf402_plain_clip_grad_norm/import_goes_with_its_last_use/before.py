import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, TensorDataset


class CopyTask(nn.Module):
    def __init__(self, symbols=12, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(symbols, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, symbols)

    def forward(self, symbols):
        return self.out(self.rnn(self.embed(symbols))[0])


def main(args):
    accelerator = Accelerator()
    strings = torch.randint(0, 12, (1000, 20))
    loader = DataLoader(TensorDataset(strings), batch_size=50, shuffle=True)
    model = CopyTask()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(args.epochs):
        for (string,) in loader:
            logits = model(string[:, :-5])
            loss = nn.functional.cross_entropy(logits[:, 5:].transpose(1, 2), string[:, :-10])
            accelerator.backward(loss)
            clip_grad_norm_(model.parameters(), max_norm=args.clip)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=5)
    main(parser.parse_args())
