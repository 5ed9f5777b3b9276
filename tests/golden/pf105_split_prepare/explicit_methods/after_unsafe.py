import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Pretrainer:
    def __init__(self, model, corpus, batch_size):
        self.accelerator = Accelerator(mixed_precision="fp16")
        self.model = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=6e-4, betas=(0.9, 0.95))
        self.batches = DataLoader(corpus, batch_size=batch_size, shuffle=True)

        self.batches = self.accelerator.prepare_data_loader(self.batches)
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)

    def step(self, batch):
        output = self.model(input_ids=batch["input_ids"], labels=batch["input_ids"])
        self.accelerator.backward(output.loss)
        self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return output.loss.detach()

    def run(self, epochs):
        self.model.train()
        for _ in range(epochs):
            losses = [self.step(batch) for batch in self.batches]
            mean = self.accelerator.gather(torch.stack(losses)).mean()
            self.accelerator.print(f"loss {mean.item():.4f}")
