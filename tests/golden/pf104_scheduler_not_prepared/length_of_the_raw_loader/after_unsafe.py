import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, get_linear_schedule_with_warmup


def training_function(config, tokenized, collate_fn):
    accelerator = Accelerator(mixed_precision="bf16")
    train_dl = DataLoader(tokenized["train"], shuffle=True, collate_fn=collate_fn, batch_size=config["batch_size"])
    eval_dl = DataLoader(tokenized["validation"], collate_fn=collate_fn, batch_size=32)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", return_dict=True)
    optimizer = torch.optim.AdamW(params=model.parameters(), lr=config["lr"])
    lr_scheduler = get_linear_schedule_with_warmup(
        optimizer=optimizer,
        num_warmup_steps=100,
        num_training_steps=len(train_dl) * config["num_epochs"],
    )
    model, optimizer, train_dl, eval_dl, lr_scheduler = accelerator.prepare(
        model, optimizer, train_dl, eval_dl, lr_scheduler
    )

    for epoch in range(config["num_epochs"]):
        model.train()
        for batch in train_dl:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()

        model.eval()
        correct = 0
        for batch in eval_dl:
            with torch.no_grad():
                logits = model(**batch).logits
            guesses, labels = accelerator.gather_for_metrics((logits.argmax(dim=-1), batch["labels"]))
            correct += (guesses == labels).sum().item()
        accelerator.print(f"{epoch}: {correct / len(tokenized['validation'])}")
