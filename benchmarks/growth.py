"""How the cost grows with the lines of one file, what a repair costs, and what a start costs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measuring import Cost, middle, run

HEAD = """\
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
"""
# A script of 30 lines as a function, with the mistake that the tool is named after, or without.
RIGHT = """

def train_{number}(dataset, epochs, lr):
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 100)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for step, (inputs, labels) in enumerate(loader):
            with accelerator.accumulate(model):
                outputs = model(inputs)
                loss = torch.nn.functional.cross_entropy(outputs, labels)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.item()
            if step % 10 == 0:
                accelerator.print(f"epoch {{epoch}}, step {{step}}: {{loss.item():.4f}}")
        losses.append(total)
    accelerator.wait_for_everyone()
    torch.save(accelerator.unwrap_model(model).state_dict(), "model_{number}.pt")
    return losses
"""
WRONG = RIGHT.replace(
    "    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)\n",
    "    model, loader = accelerator.prepare(model, loader)\n",
)


def write_script(folder: Path, lines: int, wrong_every: int = 0) -> Path:
    """Write a script with about so many lines; every so many-th of its functions has a mistake."""
    count = max(lines // (RIGHT.count("\n")), 1)
    functions = [
        (WRONG if wrong_every and number % wrong_every == 0 else RIGHT).format(number=number) for number in range(count)
    ]
    path = folder / f"script_{lines}_{wrong_every}.py"
    path.write_text(HEAD + "".join(functions), encoding="utf-8")
    return path


def measure(command: list[str], rounds: int) -> Cost:
    """Return the middle of several runs."""
    return middle([run(command) for _ in range(rounds)])


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prepare-fix", default=f"{sys.executable} -m prepare_fix", help="the command to measure")
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 5000, 10_000, 20_000, 50_000])
    options = parser.parse_args()
    tool = options.prepare_fix.split()
    bare = measure([sys.executable, "-I", "-c", "pass"], 9)
    version = measure([*tool, "--version"], 9)
    print(f"start: Python alone {bare.seconds:.3f} s, --version {version.seconds:.3f} s", end="")
    print(f" = {version.seconds / bare.seconds:.1f} bare starts")
    with tempfile.TemporaryDirectory() as name:
        empty = write_script(Path(name), 30)
        floor = measure([*tool, "check", "--isolated", str(empty)], options.rounds)
        print(f"check of 30 lines: {floor.seconds:.3f} s, {floor.mebibytes:.0f} MiB")
        mended = measure([*tool, "diff", "--isolated", str(write_script(Path(name), 30, 1))], options.rounds)
        print(f"diff that changes 30 lines: {mended.seconds:.3f} s, {mended.mebibytes:.0f} MiB (both taken off below)")
        print(f"{'lines':>8}{'check, s':>10}{'ms per 1,000':>14}{'MiB':>6}", end="")
        print(f"{'diff, one mistake':>20}{'ms per 1,000':>14}{'MiB':>6}")
        for lines in options.lines:
            right = measure([*tool, "check", "--isolated", str(write_script(Path(name), lines))], options.rounds)
            wrong = measure([*tool, "diff", "--isolated", str(write_script(Path(name), lines, lines))], options.rounds)
            per = (right.seconds - floor.seconds) / lines * 1e6
            print(f"{lines:>8}{right.seconds:>10.2f}{per:>14.0f}{right.mebibytes:>6.0f}", end="")
            per = (wrong.seconds - mended.seconds) / lines * 1e6
            print(f"{wrong.seconds:>20.2f}{per:>14.0f}{wrong.mebibytes:>6.0f}")


if __name__ == "__main__":
    main()
