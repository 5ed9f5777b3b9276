"""Runs the scripts of ``tests/golden`` that need nothing but torch: how each is called, and what it ends with.

Module level needs no torch, since the tests are collected without it. ``play`` is called by the ranks.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden"
# The last two come with accelerate.
AVAILABLE = {*sys.stdlib_module_names, "torch", "accelerate", "numpy", "tqdm"}

# How to call what a script defines; scripts that are not here run by themselves or are not run.
CALLS = {
    "pf101/device_placement_list": "run_training(randn(16, 5, 40), classes(48, 16, 5), 2)",
    "pf101/frozen_settings_beside_names": "fit(rows(randn(64, 16), randn(64, 1)), Options())",
    "pf101/joins_in_the_order_of_the_models": "fit(randn(64, 16))",
    "pf101/schedule_left_out_too": "fit(rows(randn(64, 8), randn(64, 1)), epochs=2)",
    "pf101/second_network_of_a_gan": "train_gan(randn(128, 784), epochs=1)",
    "pf101/targets_permuted_as_well": "fit(randn(32, 3, 8, 8), epochs=1)",
    "pf101/trainer_class_with_configure_method": "RegressionTrainer(nn.Linear(4, 1), rows(randn(32, 4), randn(32)), "
    "{'log_dir': 'logs', 'batch_size': 8, 'lr': 1e-3, 'epochs': 2}).fit()",
    "pf102/model_comes_in_as_a_parameter": "train_language_model(nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20)), "
    "list(classes(20, 64, 7)), nn.functional.cross_entropy, steps=5)",
    "pf102/trainer_attributes": "SegmentationTrainer(nn.Conv2d(3, 1, 1), "
    "rows(randn(8, 3, 4, 4), classes(2, 8, 1, 4, 4).float())).run(2)",
    "pf102/value_network_beside_a_policy": "improve(rows(randn(512, 6), classes(3, 512), randn(512), randn(512), "
    "randn(512)), 6, 3, epochs=2)",
    "pf107/list_of_everything": "train(rows(randn(64, 3072), classes(10, 64)), epochs=1)",
    "pf107/tuple_over_several_lines": "Finetuning(Scored(), randn(32, 4), lambda rows: {'x': torch.stack(rows)}).run()",
    "pf201/attributes_of_a_trainer": "Finetuner(Scored(), tokens, ['a'] * 8).train()",
    "pf201/backslash_before_the_call": "overfit_one_batch(Scored, [{'x': row} for row in randn(8, 4)], steps=3)",
    "pf201/count_without_accumulate": "fit(rows(randn(64, 16), randn(64, 1)))",
    "pf201/schedule_of_epochs": "fit(randn(64, 512), epochs=2)",
    "pf202/attributes_of_other_names": "Trainer(rows(randn(64, 16), randn(64, 1))).fit()",
    "pf202/device_placement_of_all_three": "run(rows(randn(1024, 300), randn(1024, 300)), epochs=1)",
    "pf202/one_object_unpacked": "fit(rows(randn(64, 16), randn(64, 1)))",
    "pf202/one_argument_two_targets": "train_probe(randn(64, 8), classes(3, 64), 3)",
    "pf202/target_that_exists_nowhere": "pretrain_autoencoder(randn(64, 1, 8, 8), epochs=1)",
    "pf203/attributes_in_setup": "Experiment(SimpleNamespace(inputs=4, hidden=8, batch_size=8, epochs=2))"
    ".run(rows(randn(32, 4), randn(32, 1)))",
    "pf203/one_object_of_several_calls": "train(nn.Linear(4, 3), rows(randn(200, 4), classes(3, 200)), None, 2)",
    "pf203/exploded_call_with_comments": "distill(nn.Linear(4, 3), nn.Linear(4, 3), randn(64, 4))",
    "pf204/a_new_name_used_as_the_model": "train_ranker(randn(4, 5, 136), randn(4, 5), rounds=2)",
    "pf204/attribute_of_a_trainer": "DetectorTrainer(Detector(), list(zip(randn(4, 3), randn(4, 1))), epochs=1).fit()",
    "pf204/in_a_try_block": "main(rows(randn(16, 5, 3), randn(16, 2)), "
    "{'inputs': 3, 'hidden': 4, 'outputs': 2, 'lr': 0.01, 'batch_size': 4, 'epochs': 1})",
    "pf301/accumulate_and_call_by_the_old_name": "fit(rows(randn(64, 16), randn(64, 1)), 1)",
    "pf301/loader_out_of_a_dict": "fit(rows(randn(64, 16), randn(64, 1)), "
    "{'validation': DataLoader(rows(randn(8, 16), randn(8, 1)))})",
    "pf301/loader_made_within_the_call": "fit(rows(randn(64, 16), randn(64, 1)), rows(randn(8, 16), randn(8, 1)), 1)",
    "pf301/attributes_keep_the_raw_objects": "Trainer(nn.Linear(4, 1), rows(randn(64, 4), randn(64, 1)), "
    "nn.functional.mse_loss).train(2)",
    "pf301/forward_through_the_old_name": "train(rows(classes(9, 64, 5), classes(4, 64, 5)), 9, 4, epochs=1)",
    "pf301/iterator_taken_too_early_and_counted": "train(nn.Linear(4, 1), randn(32, 4))",
    "pf301/raw_loader_in_a_progress_bar": "fit(nn.Linear(4, 3), rows(randn(200, 4), classes(3, 200)), "
    "rows(randn(64, 4), classes(3, 64)), 2)",
    "pf301/loader_kept_in_a_dict": "run(rows(randn(64, 6), classes(3, 64)), rows(randn(9, 6), classes(3, 9)), 6, 3)",
    "pf401/keywords_are_kept": "adversarial_pair(nn.Linear(4, 3), nn.Linear(3, 2), "
    "rows(randn(128, 4), classes(2, 128)))",
    "pf401/means_for_the_log": "fit(rows(randn(64, 300), classes(17, 64)), "
    "SimpleNamespace(update_every=2, lr=0.1, epochs=2), SimpleNamespace(div=torch.no_grad))",
    "pf401/sum_of_losses_in_a_class": "MultiTaskTrainer(rows(randn(256, 6), classes(4, 256), randn(256)), 6).fit(2)",
    "pf402/dotted_call": "train(nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 9)), "
    "rows(classes(9, 64, 5), classes(9, 64, 5)), epochs=1)",
    "pf402/keywords_in_another_order": "finetune(nn.Linear(4, 8), nn.Linear(8, 3), rows(randn(64, 4), classes(3, 64)))",
    "pf402/import_stays_for_the_other_function": "finetune(nn.Linear(4, 3), rows(randn(64, 4), classes(3, 64)), 2)",
    "pf402/one_of_two_imported_names": "Trainer(nn.Linear(4, 1), rows(randn(64, 4), randn(64, 1))).epoch()",
    "pf404/block_under_a_setting": "fit(rows(randn(64, 16), randn(64, 1)), 1, True)",
    "pf404/step_of_a_trainer": "Fitter(nn.Linear(4, 1), rows(randn(8, 4), randn(8, 1)), 1).fit()",
    "pf406/parameters_by_keyword": "fit(rows(randn(64, 16), randn(64, 1)), 1)",
    "pf501/layer_beside_and_in_the_loss": "fit(batches(randn(32, 16), randn(32)), 0.1)",
    "pf501/members_of_a_base_in_the_file": "Experiment(SimpleNamespace(width=8, num_classes=3, lr=1e-3), "
    "batches(randn(32, 5, 8), classes(3, 32))).train()",
    "pf502/another_bare_read_is_in_the_loss": "fit(rows(randn(64, 16), randn(64, 1)), 'out.pt')",
    "pf502/buffers_for_a_report": "runner = Runner(batches(randn(32, 16), classes(64, 32)))\n"
    "runner.fit()\nrunner.report()",
    "pf502/handed_to_an_average": "train(nn.Linear(4, 1), SimpleNamespace(update=lambda bare: bare), "
    "DataLoader(randn(32, 4), batch_size=8))",
    "pf502/saved_through_module": "train(nn.Linear(4, 1), DataLoader(randn(32, 4), batch_size=8), 'out.pt')",
}


def find_goldens() -> Iterator[tuple[str, Path]]:
    """Yield name and path of the Python scripts with a mistake."""
    for path in sorted(GOLDEN.glob("pf*/*/before.py")):
        yield f"{path.parent.parent.name.partition('_')[0]}/{path.parent.name}", path


def reason_against(name: str, path: Path) -> str:
    """Return why a script can't run here; empty where it runs by itself, or by what ``CALLS`` says."""
    tree = ast.parse(path.read_bytes())
    missing = sorted(imported(tree) - AVAILABLE)
    if missing:
        return f"imports {', '.join(missing)}"
    return "" if name in CALLS or runs_by_itself(tree) else "defines what nobody calls"


def imported(tree: ast.Module) -> set[str]:
    nodes = list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {"." * node.level + (node.module or "") for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def runs_by_itself(tree: ast.Module) -> bool:
    """Return whether there is more at module level than definitions: a loop, or what ``__main__`` does."""
    return any(isinstance(node, ast.For | ast.While | ast.If) for node in tree.body)


def write_player(name: str, script: Path, folder: Path) -> Path:
    """Write the script that a world starts for one golden script."""
    player = folder / f"{script.stem}.player.py"
    player.write_text(f"from goldens import play\n\nplay({name!r}, {str(script)!r})\n", encoding="utf-8")
    return player


def play(name: str, script: str) -> None:
    """Run a golden script without accumulation in fp32, and report the parameters of all its optimizers to the bit."""
    import torch

    optimizers = keep_optimizers()
    take_away_options()
    torch.manual_seed(0)
    told: dict[str, Any] = {}
    try:
        space = runpy.run_path(script, run_name="__main__")
        exec(CALLS.get(name, ""), {**helpers(), **space})
    except Exception as error:
        traceback.print_exc()
        told["failed"] = f"{type(error).__name__}: {error}"
    groups = [group for optimizer in optimizers for group in optimizer.param_groups]
    digests = [hashlib.sha256(item.detach().numpy().tobytes()) for group in groups for item in group["params"]]
    told["parameters"] = [digest.hexdigest() for digest in digests]
    Path(os.environ["REPORT"], "report-0.json").write_text(json.dumps(told), encoding="utf-8")


def keep_optimizers() -> list[Any]:
    """Return a list that takes up every optimizer of torch that is made from now on."""
    import torch

    made: list[Any] = []
    original = torch.optim.Optimizer.__init__

    def make(self: Any, *arguments: Any, **keywords: Any) -> None:
        # A prepared optimizer is one too, around another, and never comes by here.
        made.append(self)
        original(self, *arguments, **keywords)

    torch.optim.Optimizer.__init__ = make  # type: ignore[method-assign]
    return made


def take_away_options() -> None:
    """Let Accelerators be made without what one process on CPU in fp32 has not: safe means safe there."""
    from accelerate import Accelerator

    original = Accelerator.__init__

    def make(self: Any, *arguments: Any, **keywords: Any) -> None:
        for option in ("gradient_accumulation_steps", "mixed_precision", "log_with"):
            keywords.pop(option, None)
        original(self, *arguments, **keywords)

    Accelerator.__init__ = make


def helpers() -> dict[str, Any]:
    """Return what the calls are made of."""
    from types import SimpleNamespace

    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    class Output(dict[str, Any]):
        """Like those of transformers: ``output.loss`` and ``output["loss"]``."""

        def __init__(self, loss: torch.Tensor) -> None:
            super().__init__(loss=loss)
            self.loss = loss

    class Scored(nn.Module):
        """Takes any batch of tensors and returns its own loss."""

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(1, 1)

        def forward(self, **batch: torch.Tensor) -> Output:
            return Output(sum(self.layer(part.float().mean().view(1, 1)) for part in batch.values()).square().mean())

    class Detector(nn.Module):
        """Takes images and targets as lists and returns its losses by name."""

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 1)

        def forward(self, images: list[torch.Tensor], targets: list[torch.Tensor]) -> dict[str, torch.Tensor]:
            return {"box": (self.layer(torch.stack(images)) - torch.stack(targets)).square().mean()}

    def classes(count: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, count, shape)

    def tokens(texts: list[str], **_: object) -> dict[str, torch.Tensor]:
        shape = (len(texts), 3)
        return {"input_ids": classes(9, *shape), "attention_mask": torch.ones(shape)}

    def batches(*columns: torch.Tensor) -> DataLoader[Any]:
        return DataLoader(TensorDataset(*columns), batch_size=8)

    known = {"torch": torch, "nn": nn, "DataLoader": DataLoader, "rows": TensorDataset, "randn": torch.randn}
    known |= {"SimpleNamespace": SimpleNamespace, "Scored": Scored, "Detector": Detector}
    return {**known, "classes": classes, "tokens": tokens, "batches": batches}
