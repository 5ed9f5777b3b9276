import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import AutoModelForCausalLM


def main(rows, collate, log_every=50):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("distilgpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    train_loader = DataLoader(rows, batch_size=4, shuffle=True, collate_fn=collate)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    progress = tqdm(train_loader)
    for step, batch in enumerate(progress):
        loss = model(**batch.to(accelerator.device)).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % log_every == 0:
            progress.set_postfix(loss=loss.item())
