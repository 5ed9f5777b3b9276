import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForMultipleChoice

from swag_features import collate, load_features


def train_step(accelerator: Accelerator, model, optimizer, batch):
    outputs = model(**batch)
    accelerator.backward(outputs.loss)
    optimizer.step()
    optimizer.zero_grad()
    return accelerator.gather(outputs.loss.detach().reshape(1)).mean().item()


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = AutoModelForMultipleChoice.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    train_dataloader = DataLoader(load_features(), batch_size=8, shuffle=True, collate_fn=collate)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)

    model.train()
    for step, batch in enumerate(train_dataloader):
        with accelerator.accumulate(model):
            loss = train_step(accelerator, model, optimizer, batch)
        if step % 10 == 0:
            accelerator.print(f"{step}: {loss:.3f}")


if __name__ == "__main__":
    main()
