# Right: whoever does not print takes part in the other branch, for whichever of the two reasons.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def validate(model, dataset, verbose):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=8))
    with torch.no_grad():
        for features, wanted in loader:
            error = nn.functional.mse_loss(model(features), wanted)
            if verbose and accelerator.is_main_process:
                print(accelerator.gather(error).mean())
            else:
                accelerator.gather(error)
