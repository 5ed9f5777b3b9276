import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def validate(model, dataset, verbose):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=8))
    total = 0.0
    with torch.no_grad():
        for features, wanted in loader:
            error = nn.functional.mse_loss(model(features), wanted)
            if verbose:
                if accelerator.is_main_process:
                    total += accelerator.gather(error).sum()
                    print(total)
            else:
                total += accelerator.gather(error).sum()
    return total
