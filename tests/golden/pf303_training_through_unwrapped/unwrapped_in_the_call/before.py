import torch
import torch.nn.functional as F
from accelerate import Accelerator


def fit(net, loader, epochs, lr=1e-3):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for _ in range(epochs):
        for features, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(accelerator.unwrap_model(net)(features), labels)
            accelerator.backward(loss)
            optimizer.step()
    return accelerator.unwrap_model(net)
