import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def main(args, train_loader, eval_loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    if args.evaluate:
        model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    else:
        model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    if args.checkpoint:
        accelerator.load_state(args.checkpoint)
    for batch in train_loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
