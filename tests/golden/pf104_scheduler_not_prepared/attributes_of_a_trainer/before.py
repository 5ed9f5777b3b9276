import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_cosine_schedule_with_warmup


class SpeechTrainer:
    def __init__(self, model, train_set, collate, *, epochs, accumulation=8):
        self.accelerator = Accelerator(gradient_accumulation_steps=accumulation)
        self.epochs = epochs
        self.accumulation = accumulation
        self.model = model
        self.train_loader = DataLoader(train_set, batch_size=8, shuffle=True, collate_fn=collate)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.scheduler = self._build_scheduler()
        self.model, self.optimizer, self.train_loader = self.accelerator.prepare(
            self.model, self.optimizer, self.train_loader
        )

    def _build_scheduler(self):
        updates_per_epoch = len(self.train_loader) // self.accumulation
        total = updates_per_epoch * self.epochs
        return get_cosine_schedule_with_warmup(self.optimizer, num_warmup_steps=total // 20, num_training_steps=total)

    def step(self, batch):
        with self.accelerator.accumulate(self.model):
            loss = self.model(**batch).loss
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.scheduler.step()
            self.optimizer.zero_grad()
        return loss.detach()

    def fit(self):
        for epoch in range(self.epochs):
            self.model.train()
            for batch in self.train_loader:
                loss = self.step(batch)
            self.accelerator.log({"loss": loss.item()}, step=epoch)
