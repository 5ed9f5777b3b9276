# Right: what compiling puts on a model is there, so is what the script puts there; another model is not prepared, and
# what comes in as a parameter may be anything.
import torch
from accelerate import Accelerator
from transformers import AutoModel


def train(args, loader, tagger):
    accelerator = Accelerator()
    model = AutoModel.from_pretrained(args.model)
    reference = AutoModel.from_pretrained(args.model)
    optimizer = torch.optim.AdamW([*model.parameters(), *tagger.parameters()], lr=args.lr)
    model, tagger, optimizer, loader = accelerator.prepare(model, tagger, optimizer, loader)
    model.rounds = 0
    for batch in loader:
        accelerator.backward(tagger(model(**batch)[0]).mean())
        optimizer.step()
        optimizer.zero_grad()
        model.rounds += 1
        print(model.rounds, reference.encoder, tagger.labels)
    if args.compile:
        model = model._orig_mod
    return model
