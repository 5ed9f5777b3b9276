# Not ours: several receivers called anything but an accelerator, whose results are thrown away on purpose.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Stage:
    def __init__(self, name):
        self.name = name
        self.ready = False

    def prepare(self, *objects):
        self.ready = True
        return objects


class Workspace:
    def prepare(self, folder):
        folder.mkdir(parents=True, exist_ok=True)


def main(dataset, folder, epochs=1):
    accelerator = Accelerator()
    Workspace().prepare(folder)
    model = nn.Linear(10, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=5, shuffle=True)
    stage = Stage("warmup")
    stage.prepare(model, optimizer)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.print(stage.name, stage.ready)
