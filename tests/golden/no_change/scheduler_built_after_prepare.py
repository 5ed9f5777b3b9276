# Right: the length comes from the prepared loader, so the schedule fits as it is; preparing it would make it too fast.
from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, get_scheduler


def train(train_set, collate, checkpoint="bert-base-uncased", num_epochs=3):
    accelerator = Accelerator()
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
    optimizer = AdamW(model.parameters(), lr=3e-5)
    train_dl = DataLoader(train_set, shuffle=True, batch_size=8, collate_fn=collate)

    train_dl, model, optimizer = accelerator.prepare(train_dl, model, optimizer)

    total = num_epochs * len(train_dl)
    lr_scheduler = get_scheduler("linear", optimizer=optimizer, num_warmup_steps=0, num_training_steps=total)

    model.train()
    for _ in range(num_epochs):
        for batch in train_dl:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
