"""Teaches a small encoder-decoder to reverse sequences of digits."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Dataset

START, DIGITS, LENGTH = 10, 10, 6


class ReversedDigits(Dataset):
    def __init__(self, size, seed):
        self.digits = torch.randint(0, DIGITS, (size, LENGTH), generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.digits)

    def __getitem__(self, index):
        source = self.digits[index]
        return {"source": source, "target": source.flip(0)}


class Seq2Seq(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(DIGITS + 1, hidden)
        self.encoder = nn.GRU(hidden, hidden, batch_first=True)
        self.decoder = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, DIGITS)

    def forward(self, source, target):
        _, state = self.encoder(self.embedding(source))
        start = torch.full_like(target[:, :1], START)
        decoded, _ = self.decoder(self.embedding(torch.cat([start, target[:, :-1]], dim=1)), state)
        return self.head(decoded)


class Seq2SeqTrainer:
    def __init__(self, model, train_set, lr=3e-3, batch_size=32, max_grad_norm=1.0):
        self.accelerator = Accelerator()
        self.max_grad_norm = max_grad_norm
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
        self.optimizer, self.model, self.loader = self.accelerator.prepare(
            self.model,
            self.optimizer,
            self.loader,
        )

    def fit(self, epochs):
        for epoch in range(epochs):
            mean_loss = sum(self.training_step(batch) for batch in self.loader) / len(self.loader)
            self.accelerator.print(f"epoch {epoch}: loss {mean_loss:.3f}")

    def training_step(self, batch):
        self.optimizer.zero_grad()
        logits = self.model(batch["source"], batch["target"])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), batch["target"])
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_grad_norm)
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(1)
    Seq2SeqTrainer(Seq2Seq(), ReversedDigits(1024, seed=2)).fit(epochs=6)
