import argparse

from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq

from summaries import load_summaries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_name", default="t5-small")
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--num_epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()

    accelerator = Accelerator()
    set_seed(args.seed)
    tokenizer = AutoTokenizer.from_pretrained(args.model_name)
    model = AutoModelForSeq2SeqLM.from_pretrained(args.model_name)
    collator = DataCollatorForSeq2Seq(tokenizer, model=model)
    train_dataloader = DataLoader(load_summaries(tokenizer), shuffle=True, batch_size=8, collate_fn=collator)

    model = accelerator.prepare(model)
    optimizer = AdamW(
        [p for p in model.parameters() if p.requires_grad],
        lr=args.lr,
        weight_decay=0.01,
    )
    optimizer, train_dataloader = accelerator.prepare(
        optimizer,
        train_dataloader,
    )

    model.train()
    for epoch in range(args.num_epochs):
        for batch in train_dataloader:
            outputs = model(**batch)
            accelerator.backward(outputs.loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {outputs.loss.item():.3f}")
        accelerator.save_state(f"checkpoints/{epoch}")


if __name__ == "__main__":
    main()
