import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, outputs))


def improve(rollouts, observation_size, actions, epochs=4, clip=0.2):
    accelerator = Accelerator()
    batches = DataLoader(rollouts, batch_size=256, shuffle=True)

    policy = mlp(observation_size, actions)
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    value_net = mlp(observation_size, 1).to(accelerator.device)
    value_optimizer = torch.optim.Adam(value_net.parameters(), lr=1e-3)

    policy, policy_optimizer, batches = accelerator.prepare(policy, policy_optimizer, batches)
    value_optimizer = accelerator.prepare(value_optimizer)

    for _ in range(epochs):
        for observation, action, old_log_prob, advantage, reward_to_go in batches:
            distribution = torch.distributions.Categorical(logits=policy(observation))
            ratio = (distribution.log_prob(action) - old_log_prob).exp()
            clipped = ratio.clamp(1 - clip, 1 + clip)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            policy_optimizer.zero_grad()
            accelerator.backward(policy_loss)
            policy_optimizer.step()

            value_loss = nn.functional.mse_loss(value_net(observation).squeeze(-1), reward_to_go)
            value_optimizer.zero_grad()
            accelerator.backward(value_loss)
            value_optimizer.step()
