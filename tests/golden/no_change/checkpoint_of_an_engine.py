# Right: the script is for DeepSpeed, whose engine saves checkpoints itself; no model of the library does.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def train(name, dataset, folder):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, ids in enumerate(loader):
        accelerator.backward(model(input_ids=ids, labels=ids).loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % 500 == 0:
            model.save_checkpoint(folder, step, {"step": step})
