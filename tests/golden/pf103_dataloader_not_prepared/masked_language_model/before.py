"""Masked language modelling on a text file, with a linear schedule."""

import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_name_or_path", default="distilroberta-base")
    parser.add_argument("--train_file", required=True)
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--learning_rate", type=float, default=5e-5)
    parser.add_argument("--num_train_epochs", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator()
    set_seed(11)

    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    model = AutoModelForMaskedLM.from_pretrained(args.model_name_or_path)
    texts = load_dataset("text", data_files={"train": args.train_file})["train"]
    tokenized = texts.map(lambda rows: tokenizer(rows["text"], truncation=True), batched=True, remove_columns=["text"])
    collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm_probability=0.15)
    train_dataloader = DataLoader(
        tokenized, shuffle=True, collate_fn=collator, batch_size=args.per_device_train_batch_size
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)

    model, optimizer = accelerator.prepare(model, optimizer)

    for epoch in range(args.num_train_epochs):
        model.train()
        for batch in train_dataloader:
            batch = {key: value.to(accelerator.device) for key, value in batch.items()}
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
