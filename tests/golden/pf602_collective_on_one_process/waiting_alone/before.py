import torch
from accelerate import Accelerator


class Trainer:
    def __init__(self, model, loader, out):
        self.accelerator = Accelerator()
        self.out = out
        optimizer = torch.optim.AdamW(model.parameters())
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def save(self, step):
        if not self.accelerator.is_local_main_process:
            return
        state = self.accelerator.unwrap_model(self.model).state_dict()
        torch.save(state, f"{self.out}/{step}.pt")

    def train(self):
        for step, batch in enumerate(self.loader):
            self.accelerator.backward(self.model(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
            if step % 100 == 0 and self.accelerator.is_main_process:
                self.accelerator.wait_for_everyone()
                self.save(step)
