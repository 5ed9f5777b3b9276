# Right: the configuration and the layers are read while the model is still bare, and through unwrap_model after.
import torch
from accelerate import Accelerator
from transformers import AutoModelForMaskedLM


def train(name, loader, tokenizer):
    accelerator = Accelerator()
    model = AutoModelForMaskedLM.from_pretrained(name)
    model.resize_token_embeddings(len(tokenizer))
    model.gradient_checkpointing_enable()
    vocabulary = model.config.vocab_size
    decay = [p for n, p in model.named_parameters() if "bias" not in n]
    optimizer = torch.optim.AdamW(decay, lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        logits = model(batch["input_ids"]).logits
        loss = torch.nn.functional.cross_entropy(logits.view(-1, vocabulary), batch["labels"].view(-1))
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    embeddings = accelerator.unwrap_model(model).get_input_embeddings().weight.detach()
    accelerator.print(accelerator.unwrap_model(model).config, embeddings.norm())
