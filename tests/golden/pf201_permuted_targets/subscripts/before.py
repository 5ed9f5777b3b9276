import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_loaders(config):
    loaders = {}
    for split, size in (("train", 800), ("test", 200)):
        x = torch.randn(size, config["features"])
        loaders[split] = DataLoader(TensorDataset(x, x.norm(dim=1)), batch_size=20, shuffle=split == "train")
    return loaders


def main(config):
    accelerator = Accelerator()
    loaders = build_loaders(config)
    model = nn.Sequential(nn.Linear(config["features"], 40), nn.Mish(), nn.Linear(40, 1), nn.Flatten(0))
    optimizer = torch.optim.NAdam(model.parameters(), lr=config["lr"])

    loaders["train"], model, optimizer = accelerator.prepare(model, optimizer, loaders["train"])

    for epoch in range(config["epochs"]):
        model.train()
        for x, norm in loaders["train"]:
            loss = nn.functional.huber_loss(model(x), norm)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        with torch.no_grad():
            errors = [(model(x.to(accelerator.device)).cpu() - norm).abs() for x, norm in loaders["test"]]
        accelerator.print(f"epoch {epoch}: {torch.cat(errors).mean():.4f}")


if __name__ == "__main__":
    main({"features": 12, "lr": 2e-3, "epochs": 3})
