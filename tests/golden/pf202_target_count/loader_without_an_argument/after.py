import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling


class MaskedPretraining:
    def __init__(self, name, dataset, lr=1e-4):
        self.accelerator = Accelerator()
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        collator = DataCollatorForLanguageModeling(self.tokenizer, mlm_probability=0.15)

        self.model = AutoModelForMaskedLM.from_pretrained(name)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.train_loader = DataLoader(dataset, batch_size=16, shuffle=True, collate_fn=collator)

        self.model, self.optimizer, self.train_loader = self.accelerator.prepare(
            self.model,
            self.optimizer,
            self.train_loader,
        )

    def train(self, epochs):
        self.model.train()
        for _ in range(epochs):
            for batch in self.train_loader:
                loss = self.model(**batch).loss
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.accelerator.print(f"loss {loss.item():.3f}")
