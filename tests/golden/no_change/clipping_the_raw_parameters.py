# Right: the list of trainable parameters was made before prepare, which keeps the same parameters under DDP.
import torch
from accelerate import Accelerator
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def train(name, blocks, max_norm=0.3):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    lora = get_peft_model(AutoModelForCausalLM.from_pretrained(name), LoraConfig(task_type="CAUSAL_LM"))
    trainable = [p for p in lora.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=1e-4)
    loader = DataLoader(blocks, batch_size=2, shuffle=True)
    model, optimizer, loader = accelerator.prepare(lora, optimizer, loader)

    model.train()
    for ids in loader:
        with accelerator.accumulate(model):
            loss = model(input_ids=ids, labels=ids).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(trainable, max_norm)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        lora.save_pretrained("lora")
