from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForQuestionAnswering

from squad_features import load_features

accelerator = Accelerator()
model = AutoModelForQuestionAnswering.from_pretrained("bert-base-cased")
optimizer = AdamW(model.parameters(), lr=2e-5)
train_dataloader = DataLoader(load_features("train"), batch_size=8, shuffle=True)

train_dataloader = accelerator.prepare(train_dataloader)
optimizer = accelerator.prepare(model, optimizer)

model.train()
for epoch in range(2):
    for batch in train_dataloader:
        outputs = model(**batch)
        accelerator.backward(outputs.loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(f"epoch {epoch}: {outputs.loss.item():.3f}")
