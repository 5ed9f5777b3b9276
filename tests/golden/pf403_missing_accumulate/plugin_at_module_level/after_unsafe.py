from accelerate import Accelerator
from accelerate.utils import GradientAccumulationPlugin
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
import torch

plugin = GradientAccumulationPlugin(num_steps=2, sync_with_dataloader=False)
accelerator = Accelerator(gradient_accumulation_plugin=plugin)
net = nn.GRU(8, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = optim.Adam([*net.parameters(), *head.parameters()])
data = DataLoader(TensorDataset(torch.randn(40, 5, 8), torch.randn(40, 1)), batch_size=4)
net, head, opt, data = accelerator.prepare(net, head, opt, data)

for series, target in data:
    with accelerator.accumulate(net, head):
        states, _ = net(series)
        loss = (head(states[:, -1]) - target).square().mean()
        accelerator.backward(loss)
        opt.step()
        opt.zero_grad(set_to_none=True)
