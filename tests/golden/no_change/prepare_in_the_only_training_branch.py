# Right: the names are rebound in the branch that trains; the other branch only evaluates the raw model.
import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--do_train", action="store_true")
    parser.add_argument("--weights", default="weights.pt")
    args = parser.parse_args()

    accelerator = Accelerator()
    x = torch.randn(600, 16)
    dataset = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
    loader = DataLoader(dataset, batch_size=30, shuffle=args.do_train)
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))

    if args.do_train:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for _ in range(5):
            for features, label in loader:
                loss = nn.functional.cross_entropy(model(features), label)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        accelerator.save(accelerator.get_state_dict(model), args.weights)
    else:
        model.load_state_dict(torch.load(args.weights, map_location="cpu"))
        with torch.no_grad():
            hits = [(model(features).argmax(dim=1) == label).float().mean() for features, label in loader]
        accelerator.print(f"accuracy {torch.stack(hits).mean().item():.3f}")


if __name__ == "__main__":
    main()
