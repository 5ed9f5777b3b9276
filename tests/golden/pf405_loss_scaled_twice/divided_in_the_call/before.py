import torch
from accelerate import Accelerator
from transformers import AutoModelForMaskedLM
from torch.utils.data import DataLoader


def main(args, corpus):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    model = AutoModelForMaskedLM.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(corpus, batch_size=args.batch)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss / args.gradient_accumulation_steps)
            optimizer.step()
            optimizer.zero_grad()
