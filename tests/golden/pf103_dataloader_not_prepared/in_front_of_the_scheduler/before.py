import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForCausalLM, get_cosine_schedule_with_warmup


def finetune(dataset, collate, name="gpt2", epochs=2):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, collate_fn=collate)
    updates = epochs * len(loader) // accelerator.gradient_accumulation_steps
    schedule = get_cosine_schedule_with_warmup(optimizer, updates // 10, updates)

    # everything but the data
    model, optimizer, schedule = accelerator.prepare(
        model,
        optimizer,
        schedule,
    )

    progress = tqdm(range(updates), disable=not accelerator.is_local_main_process)
    for _ in range(epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                loss = model(**batch.to(accelerator.device)).loss
                accelerator.backward(loss)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                progress.update(1)
