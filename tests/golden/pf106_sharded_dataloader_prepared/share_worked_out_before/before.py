import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, Subset


class Finetuning:
    def __init__(self, model, documents):
        self.accelerator = Accelerator()
        rank, world = self.accelerator.process_index, self.accelerator.num_processes
        share = len(documents) // self.accelerator.num_processes
        first = share * self.accelerator.process_index
        last = first + share
        if rank == world - 1:
            last = len(documents)
        own = Subset(documents, range(first, last))
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
        loader = DataLoader(own, batch_size=2, shuffle=True)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, self.optimizer, loader)

    def run(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(**batch).loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
