import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from torchvision.models import resnet18


def main(images, steps):
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    model = resnet18(num_classes=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    loader = DataLoader(images, batch_size=16, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for pixels, labels in loader:
        with accelerator.accumulate(model):
            # one step: clear, forward, backward, update
            loss = torch.nn.functional.cross_entropy(model(pixels), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()
