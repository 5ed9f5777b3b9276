import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch_geometric.loader import DataLoader


def train_epoch(accelerator, model, loader, optimizer):
    model.train()
    total = 0.0
    for graph in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(graph.x, graph.edge_index, graph.batch), graph.y)
        accelerator.backward(loss)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main(model, graphs, epochs=200):
    accelerator = Accelerator()
    loader = DataLoader(graphs, batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    model, optimizer, scheduler, loader = accelerator.prepare(model, optimizer, scheduler, loader)
    for epoch in range(epochs):
        loss = train_epoch(accelerator, model, loader, optimizer)
        scheduler.step()
        accelerator.print(epoch, loss)
