import torch
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import mobilenet_v3_small


def training_function(config, dataset):
    accelerator = Accelerator()

    @find_executable_batch_size(starting_batch_size=config["batch_size"])
    def inner_training_loop(batch_size):
        accelerator.free_memory()
        accelerator.print(f"trying {batch_size}")
        model = mobilenet_v3_small(num_classes=config["num_classes"]).to(accelerator.device)
        optimizer = torch.optim.RMSprop(model.parameters(), lr=config["lr"], momentum=0.9)
        loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

        for epoch in range(config["num_epochs"]):
            model.train()
            for images, labels in loader:
                outputs = model(images)
                loss = nn.functional.cross_entropy(outputs, labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            accelerator.print(f"epoch {epoch}: {loss.item():.3f}")

    inner_training_loop()
