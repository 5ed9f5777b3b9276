import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(args, dataset):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
    model = nn.Transformer(d_model=64, batch_first=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, (source, target) in enumerate(loader):
        with accelerator.accumulate(model):
            loss = (model(source, target) - target).square().mean()
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.log({"loss": loss.item(), "norm": norm.item()}, step=step)
