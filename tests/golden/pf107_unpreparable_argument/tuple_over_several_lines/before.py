import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Finetuning:
    def __init__(self, model, dataset, collate):
        self.accelerator = Accelerator()
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        self.loader = DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(
            (
                self.model,
                self.optimizer,
                self.loader,
            )
        )

    def run(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(**batch).loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
