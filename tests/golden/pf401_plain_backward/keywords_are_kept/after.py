import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def adversarial_pair(encoder, critic, dataset, epochs=2):
    accelerator = Accelerator()
    encoder_opt = torch.optim.Adam(encoder.parameters(), lr=1e-4)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    encoder, encoder_opt, loader = accelerator.prepare(encoder, encoder_opt, loader)
    critic, critic_opt = accelerator.prepare(critic, critic_opt)

    for _ in range(epochs):
        for x, domain in loader:
            code = encoder(x)
            critic_opt.zero_grad()
            critic_loss = nn.functional.cross_entropy(critic(code), domain)
            accelerator.backward(critic_loss, retain_graph=True, inputs=list(critic.parameters()))
            critic_opt.step()

            encoder_opt.zero_grad()
            confusion = -critic(encoder(x)).log_softmax(dim=1).mean()
            accelerator.backward(confusion)
            encoder_opt.step()
