import torch
from accelerate import Accelerator
from accelerate.utils import DummyScheduler
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, get_linear_schedule_with_warmup


def main(rows, epochs=3):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    train_dataloader = DataLoader(rows, batch_size=4, shuffle=True)
    max_train_steps = epochs * len(train_dataloader)
    plugin = accelerator.state.deepspeed_plugin
    if plugin is None or "scheduler" not in plugin.deepspeed_config:
        lr_scheduler = get_linear_schedule_with_warmup(optimizer, 100, max_train_steps)
    else:
        lr_scheduler = DummyScheduler(optimizer, total_num_steps=max_train_steps, warmup_num_steps=100)

    model, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
        model, optimizer, train_dataloader, lr_scheduler
    )
    for _ in range(epochs):
        for batch in train_dataloader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
