# Right: the weights come from the accelerator, from the bare model or from the raw one; other state dicts are themselves.
import torch
from accelerate import Accelerator


def train(net, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    weights = accelerator.get_state_dict(model)
    if accelerator.is_main_process:
        torch.save({"model": weights, "optimizer": optimizer.state_dict()}, out)
        torch.save(accelerator.unwrap_model(model).state_dict(), out + ".bare")
        torch.save(net.state_dict(), out + ".raw")
