# Not ours: the prepare of an ONNX backend gets a model and returns a session.
import numpy as np
import onnx
import torch
from accelerate import Accelerator
from caffe2.python.onnx import backend
from torch import nn
from torch.utils.data import DataLoader


def export(model, path, width):
    torch.onnx.export(model.eval(), torch.zeros(1, width), path, input_names=["x"], output_names=["y"])
    graph = onnx.load(path)
    session = backend.prepare(graph, device="CPU")
    (y,) = session.run(np.zeros((1, width), dtype=np.float32))
    return y


def main(dataset, width=16):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(width, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    if accelerator.is_main_process:
        print(export(accelerator.unwrap_model(model).cpu(), "model.onnx", width))
