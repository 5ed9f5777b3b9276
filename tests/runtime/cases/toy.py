"""What the scripts of this folder share: a line to fit, sixteen samples, and the report at the end.

A script is started as it stands, alone or by ``torchrun``. ``ACCUMULATION`` in the environment is its number of micro
batches, and its report goes to ``report-<rank>.json`` in the folder ``REPORT``, or is printed where there is none.
"""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import Dataset

FOLDER = os.environ.get("REPORT", "")
RANK = int(os.environ.get("RANK", "0"))
COUNT = 16
# Written by the data set, so that a script cannot get wrong what its loader takes.
TAKEN: list[int] = []


def inputs(count: int = COUNT) -> list[float]:
    return [index / 8 - 1 for index in range(count)]


def targets(count: int = COUNT) -> list[float]:
    return [2 * value + (index * 5 % 7 - 3) / 3 for index, value in enumerate(inputs(count))]


class Samples(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    def __init__(self, count: int = COUNT) -> None:
        self.rows = list(zip(inputs(count), targets(count), strict=True))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        TAKEN.append(index)
        x, y = self.rows[index]
        return torch.tensor([x]), torch.tensor([y])


def begin_at_zero(layer: nn.Linear) -> None:
    """Set all parameters to zero: the oracle begins there too."""
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)


class Line(nn.Module):
    """``weight * x + bias``, both zero at first."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(1, 1)
        begin_at_zero(self.layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def folder() -> Path:
    """Return the folder that all ranks save to."""
    return Path(FOLDER or ".")


def checkpoint() -> str:
    return str(folder() / "checkpoint")


def keys_of(path: str) -> list[str]:
    """Return the keys of a state dict that rank 0 has saved."""
    if distributed.is_initialized():
        distributed.barrier()
    return sorted(torch.load(path, weights_only=False))


def values(model: nn.Module) -> list[float]:
    """Return all parameters of ``model`` in full; where they are sharded, all ranks have to ask."""
    whole = FullyShardedDataParallel.summon_full_params(model) if is_flat(model) else nullcontext()
    with whole:
        full = [item.full_tensor() if isinstance(item, DTensor) else item for item in model.parameters()]
        return [float(number) for item in full for number in item.detach().flatten()]


def is_flat(model: nn.Module) -> bool:
    return any(isinstance(module, FullyShardedDataParallel) for module in model.modules())


def is_wrapped_again(model: nn.Module) -> bool:
    return isinstance(model, DistributedDataParallel) and isinstance(model.module, DistributedDataParallel)


def report(model: nn.Module, optimizer: Any = None, **more: object) -> None:
    """Write what this rank ended with. ``more`` is told as it is."""
    if distributed.is_initialized():
        # What the other ranks save has to be there.
        distributed.barrier()
    told: dict[str, object] = {"parameters": values(model), "taken": TAKEN, **more}
    told["wrapped again"] = is_wrapped_again(model)
    if optimizer is not None:
        told["rate"] = optimizer.param_groups[0]["lr"]
    saved = Path(checkpoint())
    if saved.exists():
        names = [path.name for path in saved.iterdir()]
        told["optimizer saved"] = any(name.startswith("optimizer") for name in names)
        told["models saved"] = sum(name.startswith(("model", "pytorch_model")) for name in names)
    text = json.dumps(told, default=list)
    if FOLDER:
        (Path(FOLDER) / f"report-{RANK}.json").write_text(text, encoding="utf-8")
    else:
        print(text)
