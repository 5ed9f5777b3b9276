import argparse

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_loader(samples, batch_size):
    tokens = torch.randint(0, 500, (samples, 65))
    return DataLoader(TensorDataset(tokens[:, :-1], tokens[:, 1:]), batch_size=batch_size, shuffle=True)


def main(args):
    fsdp_plugin = FullyShardedDataParallelPlugin(auto_wrap_policy="size_based_wrap", min_num_params=100_000)
    accelerator = Accelerator(fsdp_plugin=fsdp_plugin if args.fsdp else None)

    embedding = nn.Embedding(500, 256)
    layer = nn.TransformerEncoderLayer(256, 4, batch_first=True)
    model = nn.Sequential(embedding, nn.TransformerEncoder(layer, args.layers), nn.Linear(256, 500))
    train_loader = make_loader(4096, args.batch_size)

    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(args.epochs):
        for inputs, targets in train_loader:
            logits = model(inputs)
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), targets)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fsdp", action="store_true")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=1)
    main(parser.parse_args())
