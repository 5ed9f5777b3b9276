# Right: the picture is what is changed, nobody gathers the gradients of the network.
import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator(gradient_accumulation_steps=3)
judge = accelerator.prepare(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)))
picture = torch.rand(1, 8, 8, requires_grad=True)
for _ in range(30):
    with accelerator.accumulate(judge):
        score = judge(picture)[0, 3]
        judge.zero_grad()
        accelerator.backward(score)
    picture = (picture.detach() - 0.01 * picture.grad.sign()).requires_grad_()
