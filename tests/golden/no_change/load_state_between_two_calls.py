# Right: the model is loaded; the loader of the evaluation is prepared later and has no state.
import torch
from accelerate import Accelerator


def train(args, model, loader, eval_loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    if args.resume:
        accelerator.load_state(args.resume)
    eval_loader = accelerator.prepare(eval_loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        for batch in eval_loader:
            accelerator.print(accelerator.gather_for_metrics(model(batch)).mean())
