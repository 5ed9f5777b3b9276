import torch
from accelerate import Accelerator
from torch import nn


def run(policy, critic_batches, policy_batches, policy_micro_batches=4, critic_accum_every=8):
    accelerator = Accelerator(gradient_accumulation_steps=policy_micro_batches)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    policy, optimizer, critic_batches, policy_batches = accelerator.prepare(
        policy, optimizer, critic_batches, policy_batches
    )
    for index, batch in enumerate(policy_batches, 1):
        accelerator.backward(policy(batch).mean())
        if index % policy_micro_batches == 0:
            optimizer.step()
            optimizer.zero_grad()
    for index, batch in enumerate(critic_batches, 1):
        error = nn.functional.mse_loss(policy(batch), batch)
        error = error / critic_accum_every
        accelerator.backward(error)
        if index % critic_accum_every == 0:
            optimizer.step()
            optimizer.zero_grad()
