import torch
import torch.utils.data as data
from accelerate import Accelerator


class Pretrainer:
    def __init__(self, model, corpus, collate, batch_size=16):
        self.accelerator = Accelerator(mixed_precision="bf16")
        self.model = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.loader = data.DataLoader(corpus, batch_size=batch_size, shuffle=True, collate_fn=collate)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)

    def train(self, epochs):
        for epoch in range(epochs):
            for batch in self.loader:
                self.optimizer.zero_grad()
                loss = self.model(**batch).loss
                self.accelerator.backward(loss)
                self.optimizer.step()
