from accelerate import Accelerator
from torch.nn.utils.rnn import pad_sequence
from torch.optim import Adagrad
from torch.utils.data import DataLoader


def collate(rows):
    return pad_sequence(rows, batch_first=True)


def train_language_model(model, token_ids, loss_fn, steps=1000):
    """Train ``model`` in place; it must map token ids to logits."""
    accelerator = Accelerator(cpu=True)
    model.train()
    optimizer = Adagrad(model.parameters(), lr=0.01)
    data = DataLoader(token_ids, batch_size=32, shuffle=True, collate_fn=collate)
    model, optimizer, data = accelerator.prepare(model, optimizer, data)

    step = 0
    while step < steps:
        for ids in data:
            logits = model(ids[:, :-1])
            loss = loss_fn(logits.flatten(0, 1), ids[:, 1:].flatten())
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step >= steps:
                break
    accelerator.print(f"stopped after {step} steps")
