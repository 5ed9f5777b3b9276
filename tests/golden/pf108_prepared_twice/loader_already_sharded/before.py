import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


def main(args, dataset):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    loader = accelerator.prepare_data_loader(loader)
    model = AutoModelForSequenceClassification.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(
        model,
        optimizer,
        loader,
    )
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
