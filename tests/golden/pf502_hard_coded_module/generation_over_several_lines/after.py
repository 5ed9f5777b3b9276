import torch
from accelerate import Accelerator
from transformers import AutoModelForSeq2SeqLM


def main(args, train_dl, eval_dl, decode, bleu):
    accelerator = Accelerator()
    model = AutoModelForSeq2SeqLM.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, train_dl, eval_dl = accelerator.prepare(model, optimizer, train_dl, eval_dl)
    for epoch in range(args.epochs):
        model.train()
        for batch in train_dl:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        for batch in eval_dl:
            with torch.inference_mode():
                tokens = accelerator.unwrap_model(model).generate(
                    batch["input_ids"],
                    num_beams=args.num_beams,
                )
            tokens = accelerator.gather_for_metrics(tokens)
            bleu.add_batch(predictions=decode(tokens), references=decode(batch["labels"]))
        accelerator.print(bleu.compute())
