# Right: embeddings and the other weights have an optimizer each, all in one call.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Recommender(nn.Module):
    def __init__(self, users, items, width=32):
        super().__init__()
        self.users = nn.Embedding(users, width, sparse=True)
        self.items = nn.Embedding(items, width, sparse=True)
        self.score = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, user, item):
        return self.score(torch.cat([self.users(user), self.items(item)], dim=-1)).squeeze(-1)


def train(users, items, ratings, epochs=5):
    accelerator = Accelerator()
    loader = DataLoader(TensorDataset(users, items, ratings), batch_size=1024, shuffle=True)
    model = Recommender(int(users.max()) + 1, int(items.max()) + 1)
    sparse_opt = torch.optim.SparseAdam([model.users.weight, model.items.weight], lr=1e-2)
    dense_opt = torch.optim.Adam(model.score.parameters(), lr=1e-3)
    model, sparse_opt, dense_opt, loader = accelerator.prepare(model, sparse_opt, dense_opt, loader)

    for epoch in range(epochs):
        for user, item, rating in loader:
            loss = nn.functional.mse_loss(model(user, item), rating)
            accelerator.backward(loss)
            for optimizer in (sparse_opt, dense_opt):
                optimizer.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")
