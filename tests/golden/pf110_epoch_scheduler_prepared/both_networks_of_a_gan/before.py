import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader


def linear_decay(start, end):
    return lambda epoch: 1.0 - max(0, epoch - start) / (end - start)


def train(generator, discriminator, pairs, epochs=200, decay_from=100):
    accelerator = Accelerator()
    loader = DataLoader(pairs, batch_size=1, shuffle=True)
    opt_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    sched_g = LambdaLR(opt_g, lr_lambda=linear_decay(decay_from, epochs))
    sched_d = LambdaLR(opt_d, lr_lambda=linear_decay(decay_from, epochs))
    generator, discriminator, opt_g, opt_d, sched_g, sched_d, loader = accelerator.prepare(
        generator, discriminator, opt_g, opt_d, sched_g, sched_d, loader
    )

    for epoch in range(epochs):
        for sketch, photo in loader:
            fake = generator(sketch)

            opt_g.zero_grad()
            verdict = discriminator(fake)
            g_loss = nn.functional.mse_loss(verdict, torch.ones_like(verdict)) + 100 * (fake - photo).abs().mean()
            accelerator.backward(g_loss)
            opt_g.step()

            opt_d.zero_grad()
            real, false = discriminator(photo), discriminator(fake.detach())
            d_loss = nn.functional.mse_loss(real, torch.ones_like(real)) + false.square().mean()
            accelerator.backward(d_loss)
            opt_d.step()
        sched_g.step()
        sched_d.step()
