import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def main(args, dataset):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    train_dataloader = DataLoader(dataset, batch_size=args.per_device_batch_size, shuffle=True)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)

    for batch in train_dataloader:
        logits = model(batch["input_ids"]).logits
        loss = torch.nn.functional.cross_entropy(
            logits[:, :-1].reshape(-1, model.config.vocab_size), batch["input_ids"][:, 1:].reshape(-1)
        )
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
