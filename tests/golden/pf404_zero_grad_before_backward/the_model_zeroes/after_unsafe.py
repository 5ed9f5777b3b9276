import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM
from torch.utils.data import DataLoader


def main(tokens, steps):
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    loader = DataLoader(tokens, batch_size=1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch, labels=batch["input_ids"]).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()
