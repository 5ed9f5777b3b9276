import torch
from accelerate import Accelerator


class Ranker:
    def __init__(self, model, queries, held_out):
        self.accelerator = Accelerator()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        self.model, self.optimizer, self.queries, self.held_out = self.accelerator.prepare(
            model, self.optimizer, queries, held_out
        )

    def evaluate(self):
        if not self.accelerator.is_main_process:
            return None
        self.model.eval()
        scores = []
        with torch.no_grad():
            for batch in self.held_out:
                scores.append(self.accelerator.gather_for_metrics(self.model(**batch).logits))
        return torch.cat(scores)

    def train(self, epochs):
        for _ in range(epochs):
            self.model.train()
            for batch in self.queries:
                self.accelerator.backward(self.model(**batch).loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.evaluate()
