# Right: the GradScaler branch runs only without an accelerator, and scales, clips and steps by itself.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, dataset, args):
    accelerator = Accelerator(mixed_precision="fp16") if args.backend == "accelerate" else None
    scaler = torch.amp.GradScaler("cuda") if accelerator is None else None
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    if accelerator is not None:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    else:
        model.cuda()

    for _ in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            if accelerator is not None:
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            else:
                with torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
