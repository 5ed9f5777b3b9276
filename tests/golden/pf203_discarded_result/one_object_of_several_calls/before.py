from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader
from tqdm import tqdm


def train(model, train_set, test_set, epochs):
    accelerator = Accelerator()
    optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    train_loader = DataLoader(train_set, batch_size=100, shuffle=True)
    model, optimizer = accelerator.prepare(model, optimizer)
    accelerator.prepare(train_loader)

    for epoch in range(epochs):
        model.train()
        progress = tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process)
        for inputs, targets in progress:
            inputs, targets = inputs.to(accelerator.device), targets.to(accelerator.device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            accelerator.backward(loss)
            optimizer.step()
            progress.set_postfix(loss=loss.item())
