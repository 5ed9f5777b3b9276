import argparse

import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForImageClassification, AutoImageProcessor


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_id", default="microsoft/resnet-18")
    parser.add_argument("--dataset", default="beans")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator()
    model = AutoModelForImageClassification.from_pretrained(args.model_id, num_labels=3, ignore_mismatched_sizes=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model = accelerator.prepare(model)

    processor = AutoImageProcessor.from_pretrained(args.model_id)
    dataset = load_dataset(args.dataset, split="train").with_transform(
        lambda rows: {**processor(rows["image"], return_tensors="pt"), "labels": rows["labels"]}
    )
    train_dataloader = DataLoader(dataset, batch_size=16, shuffle=True)
    optimizer, train_dataloader = accelerator.prepare(optimizer, train_dataloader)

    for epoch in range(args.epochs):
        model.train()
        for batch in train_dataloader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
