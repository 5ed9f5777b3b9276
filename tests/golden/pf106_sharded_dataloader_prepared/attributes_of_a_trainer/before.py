import torch
import torch.utils.data as data
from accelerate import Accelerator


class Pretrainer:
    def __init__(self, model, corpus, collate, batch_size=16):
        self.accelerator = Accelerator(mixed_precision="bf16")
        self.model = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.sampler = data.distributed.DistributedSampler(corpus, shuffle=True)
        self.loader = data.DataLoader(corpus, batch_size=batch_size, sampler=self.sampler, collate_fn=collate)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)

    def train(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for batch in self.loader:
                self.optimizer.zero_grad()
                loss = self.model(**batch).loss
                self.accelerator.backward(loss)
                self.optimizer.step()
