# Right: the old names are read for sizes, settings and the state dict; what trains has the new names.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


def train(dataset, collate, out, epochs=3):
    accelerator = Accelerator()
    raw_model = AutoModelForSequenceClassification.from_pretrained("distilroberta-base", num_labels=5)
    raw_optimizer = torch.optim.AdamW(raw_model.parameters(), lr=2e-5)
    raw_loader = DataLoader(dataset, batch_size=16, shuffle=True, collate_fn=collate)
    model, optimizer, loader = accelerator.prepare(raw_model, raw_optimizer, raw_loader)

    accelerator.print(f"{len(raw_loader.dataset)} rows, {raw_loader.batch_size} a batch, {len(raw_loader)} in all")
    accelerator.print(f"{raw_model.num_parameters():,} weights, {raw_model.config.num_labels} classes")
    for epoch in range(epochs):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: lr {raw_optimizer.param_groups[0]['lr']}")

    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        raw_model.save_pretrained(out, state_dict=raw_model.state_dict())
