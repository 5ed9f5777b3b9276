import torch
from accelerate import Accelerator
from transformers import AutoModel


def describe(encoder, path):
    with open(path, "w") as file:
        file.write(encoder.config.to_json_string())


def main(args, loader):
    accelerator = Accelerator()
    encoder = AutoModel.from_pretrained(args.checkpoint)
    optimizer = torch.optim.AdamW(encoder.parameters())
    encoder, optimizer, loader = accelerator.prepare(encoder, optimizer, loader)
    describe(encoder, args.config_file)
    for batch in loader:
        loss = encoder(**batch).last_hidden_state.square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
