import argparse
import itertools

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_steps", type=int, default=200)
    parser.add_argument("--lr", type=float, default=3e-4)
    args = parser.parse_args()

    accelerator = Accelerator()
    notes = torch.randint(0, 88, (512, 33))
    dataset = TensorDataset(notes)
    sampler = RandomSampler(dataset, replacement=True, num_samples=16 * args.max_steps)
    train_dataloader = DataLoader(dataset, batch_size=16, sampler=sampler)

    model = nn.Sequential(nn.Embedding(88, 32), nn.Linear(32, 88))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)
    data_iterator = iter(train_dataloader)

    for step in itertools.count():
        if step == args.max_steps // accelerator.num_processes:
            break
        (sequence,) = next(data_iterator)
        sequence = sequence.to(accelerator.device)
        logits = model(sequence[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), sequence[:, 1:])
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
