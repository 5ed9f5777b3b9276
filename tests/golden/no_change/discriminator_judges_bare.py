# Right: the discriminator judges bare in the generator's loss; its gradients from there are thrown away.
import torch
from accelerate import Accelerator
from torch.nn.functional import softplus


def train(generator, judge, loader):
    accelerator = Accelerator()
    opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4)
    opt_d = torch.optim.Adam(judge.parameters(), lr=2e-4)
    generator, opt_g = accelerator.prepare(generator, opt_g)
    judge, opt_d, loader = accelerator.prepare(judge, opt_d, loader)
    for real in loader:
        fake = generator(torch.randn(len(real), 64, device=real.device))
        opt_d.zero_grad()
        accelerator.backward(softplus(judge(fake.detach())).mean() + softplus(-judge(real)).mean())
        opt_d.step()
        opt_g.zero_grad()
        accelerator.backward(softplus(-accelerator.unwrap_model(judge)(fake)).mean())
        opt_g.step()
