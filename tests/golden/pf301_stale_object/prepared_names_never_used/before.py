import argparse

import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", default="roberta-base")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    tokenizer = AutoTokenizer.from_pretrained(args.checkpoint)
    rows = load_dataset("glue", "cola", split="train")
    rows = rows.map(lambda row: tokenizer(row["sentence"]), remove_columns=["sentence", "idx"])
    rows = rows.rename_column("label", "labels")
    dataloader = DataLoader(rows, batch_size=16, shuffle=True, collate_fn=DataCollatorWithPadding(tokenizer))
    model = AutoModelForSequenceClassification.from_pretrained(args.checkpoint)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)

    prepared_model, prepared_optimizer, prepared_dataloader = accelerator.prepare(model, optimizer, dataloader)

    for epoch in range(args.epochs):
        model.train()
        for batch in dataloader:
            batch = batch.to(accelerator.device)
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
