# Right: the checkpoint is loaded once everything is prepared and registered.
import torch
from accelerate import Accelerator


def train(args, model, loader):
    accelerator = Accelerator(project_dir=args.out)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    accelerator.register_for_checkpointing(scheduler)
    first = 0
    if args.resume:
        accelerator.print(f"resuming from {args.resume}")
        accelerator.load_state(args.resume)
        first = int(args.resume.rpartition("-")[2])
    for epoch in range(first, args.epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()
        accelerator.save_state(f"{args.out}/epoch-{epoch}")
