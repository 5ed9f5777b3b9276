# Right: the script takes the prefix of the wrapper out of the keys itself.
import torch
from accelerate import Accelerator


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    weights = {key.removeprefix("module."): value for key, value in model.state_dict().items()}
    accelerator.save(weights, out)
    accelerator.save({"raw": model.state_dict(), "note": "keys may begin with module."}, out + ".all")
