import torch
from accelerate import Accelerator


def evaluate(accelerator, model, loader):
    model.eval()
    losses = []
    for batch in loader:
        with torch.no_grad():
            loss = model(**batch).loss
        losses.append(accelerator.gather(loss.repeat(len(batch["input_ids"]))))
    return torch.cat(losses).mean().item()


def main(args, model, train_loader, eval_loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    for epoch in range(args.epochs):
        model.train()
        for batch in train_loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        if accelerator.is_main_process:
            accelerator.print(f"epoch {epoch}: {evaluate(accelerator, model, eval_loader):.4f}")
