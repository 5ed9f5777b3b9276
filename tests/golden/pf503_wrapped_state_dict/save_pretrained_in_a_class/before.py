import torch
from accelerate import Accelerator
from transformers import AutoModelForTokenClassification


class Tagger:
    def __init__(self, checkpoint, loader, out):
        self.accelerator = Accelerator()
        self.out = out
        model = AutoModelForTokenClassification.from_pretrained(checkpoint)
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def fit(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(**batch).loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.save()

    def save(self):
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_local_main_process:
            self.model.save_pretrained(self.out)
