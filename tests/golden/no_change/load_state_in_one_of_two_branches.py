# Right: either a checkpoint of prepared objects is loaded, or the model is prepared fresh.
import torch
from accelerate import Accelerator


def main(args, build, loader):
    accelerator = Accelerator()
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    if args.resume:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        accelerator.load_state(args.resume)
    else:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
