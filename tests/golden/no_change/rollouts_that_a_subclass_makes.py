# Right: subclasses say how the policy answers, and each process learns from its own answers.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


class PolicyTrainer:
    def __init__(self, policy, prompts, accelerator: Accelerator):
        self.accelerator = accelerator
        optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-5)
        self.policy, self.optimizer = accelerator.prepare(policy, optimizer)
        self.prompts = accelerator.prepare(DataLoader(prompts, batch_size=8))

    def rollout(self, prompts):
        raise NotImplementedError("subclasses say how the policy answers")

    def learn(self, answers):
        loader = DataLoader(TensorDataset(*answers.values()), batch_size=4, shuffle=True)
        for tokens, gains in loader:
            loss = -(self.policy(tokens).mean(dim=-1) * gains).mean()
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def train(self):
        for prompts in self.prompts:
            self.learn(self.rollout(prompts))
