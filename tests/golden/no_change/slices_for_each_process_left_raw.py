# Right: the data is cut up by process and its loader stays out of prepare.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, rows, epochs=2):
    accelerator = Accelerator()
    mine = rows[accelerator.process_index :: accelerator.num_processes]
    loader = DataLoader(mine, batch_size=16, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = accelerator.prepare(model, optimizer)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch.to(accelerator.device)).mean())
            optimizer.step()
            optimizer.zero_grad()
