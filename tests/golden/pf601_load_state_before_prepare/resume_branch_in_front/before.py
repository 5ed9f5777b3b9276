import torch
from accelerate import Accelerator


def train(args, model, loader):
    accelerator = Accelerator(project_dir=args.out)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    # Go on where the last run stopped.
    if args.resume is not None:
        accelerator.print("resuming")
        accelerator.load_state(args.resume)

    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    accelerator.save_state()
