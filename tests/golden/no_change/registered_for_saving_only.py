# Right: the objects are only registered, so that save_state converts an old checkpoint; nothing trains here.
import argparse

import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def main():
    parser = argparse.ArgumentParser(description="turns a plain checkpoint into a state folder")
    parser.add_argument("checkpoint")
    parser.add_argument("folder")
    args = parser.parse_args()

    accelerator = Accelerator()
    saved = torch.load(args.checkpoint, map_location="cpu")
    model = AutoModelForCausalLM.from_pretrained(saved["name"])
    model.load_state_dict(saved["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    optimizer.load_state_dict(saved["optimizer"])

    accelerator.prepare(model, optimizer)
    accelerator.save_state(args.folder)
    accelerator.print(f"{args.checkpoint} -> {args.folder}")


if __name__ == "__main__":
    main()
