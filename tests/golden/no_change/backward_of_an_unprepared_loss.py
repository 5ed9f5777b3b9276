# Right: the prompt vector is fitted to a frozen model, on each process alone and without prepared objects.
import torch
from accelerate import Accelerator
from torch import nn
from transformers import AutoModelForCausalLM


def tune_prompt(name, ids, length=8, steps=300):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(name).to(accelerator.device)
    model.requires_grad_(False)
    embeddings = model.get_input_embeddings()
    prompt = nn.Parameter(torch.randn(1, length, embeddings.embedding_dim, device=accelerator.device))
    adam = torch.optim.Adam([prompt], lr=1e-2)

    ids = ids.to(accelerator.device)
    labels = torch.cat([ids.new_full((len(ids), length), -100), ids], dim=1)
    for step in range(steps):
        inputs = torch.cat([prompt.expand(len(ids), -1, -1), embeddings(ids)], dim=1)
        loss = model(inputs_embeds=inputs, labels=labels).loss
        loss.backward()
        adam.step()
        adam.zero_grad()
        if step % 50 == 0:
            accelerator.print(f"{step}: {loss.item():.3f}")
    return prompt.detach()
