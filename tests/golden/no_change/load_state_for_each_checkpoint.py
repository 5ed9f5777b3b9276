# Right: in the second round the checkpoint goes into what the first round prepared, and so it does in the first.
import torch
from accelerate import Accelerator


def evaluate_all(model, loader, checkpoints):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    for path in checkpoints:
        accelerator.load_state(path)
        batches = accelerator.prepare(loader)
        with torch.no_grad():
            results = [accelerator.gather_for_metrics(model(batch)) for batch in batches]
        accelerator.print(path, torch.cat(results).mean())
