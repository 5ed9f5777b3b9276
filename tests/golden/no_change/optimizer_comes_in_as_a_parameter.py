# Unknown: the accelerator and the optimizer are parameters, so the caller may have prepared the optimizer already.
from torch import nn
from torch.utils.data import DataLoader


def finetune_adapter(accelerator, adapter, optimizer, dataset, epochs=1):
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    adapter, loader = accelerator.prepare(adapter, loader)
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(adapter(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    return accelerator.unwrap_model(adapter)


def report(accelerator, losses):
    if accelerator.is_main_process:
        print(f"{len(losses)} losses, last {losses[-1]:.4f}")
