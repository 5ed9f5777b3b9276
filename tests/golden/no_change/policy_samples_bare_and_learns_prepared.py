# Right: rollouts come from the bare policy's generate; the loss is that of the prepared one.
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def reinforce(name, loader, reward):
    accelerator = Accelerator()
    policy = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    policy, optimizer, loader = accelerator.prepare(policy, optimizer, loader)
    for prompts in loader:
        ids = accelerator.unwrap_model(policy).generate(prompts, do_sample=True, max_new_tokens=16)
        logprobs = policy(ids).logits.log_softmax(dim=-1)[:, :-1].gather(2, ids[:, 1:, None])
        accelerator.backward(-(logprobs.sum(dim=(1, 2)) * reward(ids)).mean())
        optimizer.step()
        optimizer.zero_grad()
