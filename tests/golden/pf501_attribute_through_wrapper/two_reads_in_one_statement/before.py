import torch
from accelerate import Accelerator
from transformers import AutoModelForSeq2SeqLM


def run(name, train_loader, eval_loader, tokenizer):
    accelerator = Accelerator()
    model = AutoModelForSeq2SeqLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    for batch in train_loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    for batch in eval_loader:
        ids = model.generate(batch["input_ids"], max_length=model.config.max_length, num_beams=4)
        ids = accelerator.pad_across_processes(ids, dim=1, pad_index=tokenizer.pad_token_id)
        print(tokenizer.batch_decode(accelerator.gather_for_metrics(ids)))
