import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, default_data_collator

from instructions import load_instructions


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base_model", default="facebook/opt-350m")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--output_dir", default="adapter")
    args = parser.parse_args()

    set_seed(12)
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.base_model)
    model = get_peft_model(model, LoraConfig(r=args.rank, lora_alpha=2 * args.rank, task_type="CAUSAL_LM"))
    model.print_trainable_parameters()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    train_dataloader = DataLoader(load_instructions(), batch_size=4, shuffle=True, collate_fn=default_data_collator)

    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)

    model.train()
    for batch in train_dataloader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()

    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(args.output_dir)


if __name__ == "__main__":
    main()
