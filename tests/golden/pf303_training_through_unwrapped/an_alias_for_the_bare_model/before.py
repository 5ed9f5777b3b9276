import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


def train(args, dataset, collate):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulation)
    classifier = AutoModelForSequenceClassification.from_pretrained(args.checkpoint, num_labels=args.num_labels)
    optimizer = torch.optim.AdamW(classifier.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    classifier, optimizer, loader = accelerator.prepare(classifier, optimizer, loader)

    bare = accelerator.unwrap_model(classifier)
    accelerator.print(f"labels: {bare.config.num_labels}")
    for epoch in range(args.epochs):
        classifier.train()
        for batch in loader:
            with accelerator.accumulate(classifier):
                outputs = bare(**batch)
                accelerator.backward(outputs.loss)
                optimizer.step()
                optimizer.zero_grad()
