import torch
from accelerate import Accelerator
from datasets import load_from_disk
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification, DataCollatorForTokenClassification, AutoTokenizer

accelerator = Accelerator(gradient_accumulation_steps=2)

tokenizer = AutoTokenizer.from_pretrained("xlm-roberta-base")
dataset = load_from_disk("data/wikiann").with_format("torch")
collator = DataCollatorForTokenClassification(tokenizer)
model = AutoModelForTokenClassification.from_pretrained("xlm-roberta-base", num_labels=7)
model.to(accelerator.device)

optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
train_dataloader = DataLoader(dataset["train"], batch_size=16, shuffle=True, collate_fn=collator)
eval_dataloader = DataLoader(dataset["validation"], batch_size=32, collate_fn=collator)

(
    optimizer,
    train_dataloader,
    eval_dataloader,
) = accelerator.prepare(
    optimizer,
    train_dataloader,
    eval_dataloader,
)

for epoch in range(3):
    model.train()
    for batch in train_dataloader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

    model.eval()
    losses = []
    for batch in eval_dataloader:
        with torch.no_grad():
            losses.append(accelerator.gather_for_metrics(model(**batch).loss.repeat(len(batch["labels"]))))
    accelerator.print(f"epoch {epoch}: {torch.cat(losses).mean().item():.4f}")
