import torch
from accelerate import Accelerator
from transformers import AutoModelForMaskedLM


def train(args, loader):
    accelerator = Accelerator()
    lm = AutoModelForMaskedLM.from_pretrained(args.checkpoint)
    opt = torch.optim.AdamW(lm.parameters(), lr=args.lr)
    lm, opt, loader = accelerator.prepare(lm, opt, loader)
    for batch in loader:
        logits = lm(batch["input_ids"]).logits
        loss = torch.nn.functional.cross_entropy(
            logits.view(-1, accelerator.unwrap_model(lm).config.vocab_size), batch["labels"].view(-1)
        )
        accelerator.backward(loss)
        opt.step()
        opt.zero_grad()
