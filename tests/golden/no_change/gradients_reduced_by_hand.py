# Right: the small gating network stays raw, its gradients are averaged over the processes by accelerator.reduce.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, width, experts=4, epochs=3):
    accelerator = Accelerator()
    model = nn.Linear(width, experts)
    gate = nn.Linear(width, experts).to(accelerator.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    gate_optimizer = torch.optim.SGD(gate.parameters(), lr=1e-2)
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    gate_optimizer = accelerator.prepare(gate_optimizer)

    for _ in range(epochs):
        for x, y in loader:
            mixed = (model(x) * gate(x).softmax(dim=-1)).sum(dim=-1)
            loss = nn.functional.mse_loss(mixed, y)
            accelerator.backward(loss)
            for parameter in gate.parameters():
                parameter.grad = accelerator.reduce(parameter.grad, reduction="mean")
            optimizer.step()
            gate_optimizer.step()
            optimizer.zero_grad()
            gate_optimizer.zero_grad()
