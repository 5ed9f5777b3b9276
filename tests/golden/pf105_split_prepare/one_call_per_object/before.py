import timm
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(train_set, num_classes, epochs=10, lr=1e-3):
    accelerator = Accelerator()
    model = timm.create_model("efficientnet_b0", pretrained=True, num_classes=num_classes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    loader = DataLoader(train_set, batch_size=32, shuffle=True, num_workers=2)

    loader = accelerator.prepare(loader)
    model = accelerator.prepare(model)
    optimizer = accelerator.prepare(optimizer)

    for epoch in range(epochs):
        model.train()
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), max_norm=2.0)
            optimizer.step()
            optimizer.zero_grad()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "efficientnet.pt")
