# Right: the model calls the prepared part, since that takes the place of the raw one.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import LlavaForConditionalGeneration


def main(dataset):
    accelerator = Accelerator()
    model = LlavaForConditionalGeneration.from_pretrained("llava-hf/llava-1.5-7b-hf")
    optimizer = torch.optim.AdamW(model.multi_modal_projector.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=1)
    projector, optimizer, loader = accelerator.prepare(model.multi_modal_projector, optimizer, loader)
    model.multi_modal_projector = projector
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
