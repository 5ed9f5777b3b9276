# Unclear: who calls this may have prepared everything.
def train_one_epoch(model, optimizer, loader, accelerator, scheduler=None):
    model.train()
    total = 0.0
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            if scheduler is not None:
                scheduler.step()
            optimizer.zero_grad()
        total += loss.detach().float()
    return total / len(loader)
