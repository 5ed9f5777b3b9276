# Right: the tokenizer is taken from the model in front of prepare, which leaves it alone.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from captioning import CaptionModel


def train(dataset, begin="<answer>"):
    accelerator = Accelerator()
    model = CaptionModel.from_pretrained("caption-small")
    tokenizer = model.tokenizer
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    image_token = tokenizer("<image>", add_special_tokens=False)["input_ids"][-1]
    answer_token = tokenizer(begin, add_special_tokens=False)["input_ids"][-1]
    for ids, labels in loader:
        labels[ids == image_token] = -100
        labels = torch.where(ids == answer_token, -100, labels)
        loss = model(ids, labels=labels, ignored=[image_token, answer_token]).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
