# Right: the prepared model is wrapped once more, and the wrapper is what trains.
import torch
from accelerate import Accelerator
from onnxruntime.training.ortmodule import ORTModule
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


def train(dataset, collate, use_ort, epochs=2):
    accelerator = Accelerator()
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=16, shuffle=True, collate_fn=collate)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    if use_ort:
        model = ORTModule(model)

    for _ in range(epochs):
        model.train()
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
