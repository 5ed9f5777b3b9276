"""With use_orig_params=False an optimizer built from the raw model trains nothing: the call must not move."""
import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(epochs=2):
    plugin = FullyShardedDataParallelPlugin(fsdp_version=1, use_orig_params=False)
    accelerator = Accelerator(fsdp_plugin=plugin)

    inputs = torch.randn(512, 100)
    loader = DataLoader(TensorDataset(inputs, inputs.std(dim=1)), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 1), nn.Flatten(0))

    model, loader = accelerator.prepare(model, loader)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    model.train()
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
