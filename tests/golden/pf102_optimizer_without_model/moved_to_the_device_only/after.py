import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm
from transformers import get_cosine_schedule_with_warmup


class Encoder(nn.Module):
    def __init__(self, size, code):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(size, 256), nn.GELU(), nn.Linear(256, code))

    def forward(self, x):
        return nn.functional.normalize(self.layers(x), dim=-1)


def main(args):
    set_seed(args.seed)
    accelerator = Accelerator(mixed_precision=args.mixed_precision)

    left = torch.load(args.embeddings)
    right = left + 0.01 * torch.randn_like(left)
    loader = DataLoader(TensorDataset(left, right), batch_size=args.batch_size, shuffle=True, drop_last=True)

    encoder = Encoder(left.shape[1], args.code).to(accelerator.device)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=args.lr)
    schedule = get_cosine_schedule_with_warmup(optimizer, 100, args.epochs * len(loader))
    encoder, optimizer, loader, schedule = accelerator.prepare(encoder, optimizer, loader, schedule)

    for epoch in range(args.epochs):
        for a, b in tqdm(loader, disable=not accelerator.is_local_main_process):
            similarity = encoder(a) @ encoder(b).T / args.temperature
            loss = nn.functional.cross_entropy(similarity, torch.arange(len(a), device=similarity.device))
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("embeddings")
    parser.add_argument("--mixed_precision", default="no")
    parser.add_argument("--code", type=int, default=64)
    parser.add_argument("--batch_size", type=int, default=256)
    parser.add_argument("--temperature", type=float, default=0.07)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args())
