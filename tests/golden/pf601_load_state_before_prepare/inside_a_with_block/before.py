import torch
from accelerate import Accelerator


def train(args, model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    with accelerator.main_process_first():
        accelerator.load_state(args.resume)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
