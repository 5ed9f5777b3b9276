# Right: the name is bound to the bare model in the last round only, when nothing trains any more.
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def finetune(name, loader, epochs, out):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        if epoch == epochs - 1:
            model = accelerator.unwrap_model(model)
            model.save_pretrained(out, is_main_process=accelerator.is_main_process)
