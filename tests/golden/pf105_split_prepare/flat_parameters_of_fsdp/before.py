"""use_orig_params=False: the model has to be wrapped before its optimizer is built, so the two calls stay apart."""
import torch
from accelerate import Accelerator
from accelerate.utils import FullyShardedDataParallelPlugin
from torch import nn
from torch.utils.data import DataLoader


def pretrain(dataset, width=1024, depth=8, epochs=1):
    fsdp_plugin = FullyShardedDataParallelPlugin(
        fsdp_version=1,
        use_orig_params=False,
        sharding_strategy="FULL_SHARD",
    )
    accelerator = Accelerator(fsdp_plugin=fsdp_plugin)
    layers = [nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth)]
    model = accelerator.prepare(nn.Sequential(*layers))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    dataloader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer, dataloader = accelerator.prepare(optimizer, dataloader)

    for _ in range(epochs):
        for rows in dataloader:
            corrupted = rows * (torch.rand_like(rows) > 0.15)
            loss = nn.functional.mse_loss(model(corrupted), rows)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.save_model(model, "pretrained")
