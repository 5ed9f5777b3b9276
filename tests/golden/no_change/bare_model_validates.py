# Right: the bare model is called without gradients only; what trains is the prepared one.
import torch
from accelerate import Accelerator


def train(autoencoder, loader, eval_loader):
    accelerator = Accelerator()
    optimizer = torch.optim.Adam(autoencoder.parameters())
    autoencoder, optimizer, loader = accelerator.prepare(autoencoder, optimizer, loader)

    @torch.no_grad()
    def validate():
        for images in eval_loader:
            restored = accelerator.unwrap_model(autoencoder)(images)
            accelerator.print((restored - images).abs().mean().item())

    for images in loader:
        loss = (autoencoder(images) - images).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        with torch.inference_mode():
            accelerator.unwrap_model(autoencoder)(images[:1])
    validate()
