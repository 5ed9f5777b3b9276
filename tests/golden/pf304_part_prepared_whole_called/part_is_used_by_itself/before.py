import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import CLIPModel


def main(dataset):
    accelerator = Accelerator()
    clip = CLIPModel.from_pretrained("openai/clip-vit-base-patch32")
    optimizer = torch.optim.AdamW(clip.text_model.parameters(), lr=1e-6)
    loader = DataLoader(dataset, batch_size=64)
    text_model, optimizer, loader = accelerator.prepare(clip.text_model, optimizer, loader)
    text_model.train()
    for batch in loader:
        loss = clip(**batch, return_loss=True).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
