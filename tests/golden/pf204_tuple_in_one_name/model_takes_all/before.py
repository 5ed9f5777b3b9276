import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(epochs=3):
    accelerator = Accelerator()
    board = torch.randint(0, 3, (500, 9))
    winner = (board == 1).sum(dim=1) - (board == 2).sum(dim=1)
    train_loader = DataLoader(TensorDataset(board, winner.sign() + 1), batch_size=25, shuffle=True)

    model = nn.Sequential(nn.Embedding(3, 8), nn.Flatten(), nn.Linear(72, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        for cells, outcome in train_loader:
            loss = nn.functional.cross_entropy(model(cells), outcome)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
