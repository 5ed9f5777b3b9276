"""Sentiment classifier on top of a small pretrained encoder."""
import argparse

import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", default="distilbert-base-uncased")
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--learning_rate", type=float, default=3e-5)
    parser.add_argument("--epochs", type=int, default=2)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator()

    tokenizer = AutoTokenizer.from_pretrained(args.checkpoint)
    reviews = load_dataset("imdb").map(lambda row: tokenizer(row["text"], truncation=True), batched=True)
    reviews = reviews.remove_columns(["text"]).rename_column("label", "labels")
    collate = DataCollatorWithPadding(tokenizer)
    train_dl = DataLoader(reviews["train"], shuffle=True, batch_size=args.batch_size, collate_fn=collate)
    test_dl = DataLoader(reviews["test"], batch_size=args.batch_size, collate_fn=collate)

    model = AutoModelForSequenceClassification.from_pretrained(args.checkpoint, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)

    model, train_dl, test_dl = accelerator.prepare(model, train_dl, test_dl)

    for epoch in range(args.epochs):
        model.train()
        for batch in train_dl:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        hits = []
        for batch in test_dl:
            with torch.no_grad():
                predicted = model(**batch).logits.argmax(dim=-1)
            hits.append(accelerator.gather_for_metrics(predicted == batch["labels"]))
        accelerator.print(f"epoch {epoch}: {torch.cat(hits).float().mean().item():.3f}")


if __name__ == "__main__":
    main()
