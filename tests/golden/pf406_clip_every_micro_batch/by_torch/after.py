import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

accelerator = Accelerator(gradient_accumulation_steps=2)
model = nn.LSTM(10, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
loader = DataLoader(torch.randn(100, 7, 10), batch_size=5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for sequence in loader:
    with accelerator.accumulate(model):
        output, _ = model(sequence)
        accelerator.backward(output.square().mean())
        accelerator.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        optimizer.zero_grad()
