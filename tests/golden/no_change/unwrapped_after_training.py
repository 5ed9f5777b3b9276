# Right: the name is bound to the bare model when the last step is done.
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def finetune(name, loader, epochs, out):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    model = accelerator.unwrap_model(model)
    model.save_pretrained(out, is_main_process=accelerator.is_main_process)
    model.generate(torch.tensor([[1]]), max_new_tokens=model.config.max_length)
    return model
