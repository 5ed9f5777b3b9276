# Right: unwrap_model serves generation, configuration and saving; the loss goes through the prepared model.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


def finetune(checkpoint, train_set, eval_set, collate, out, epochs=3):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = AutoModelForSeq2SeqLM.from_pretrained(checkpoint)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    train_dl = DataLoader(train_set, batch_size=8, shuffle=True, collate_fn=collate)
    eval_dl = DataLoader(eval_set, batch_size=8, collate_fn=collate)
    model, optimizer, train_dl, eval_dl = accelerator.prepare(model, optimizer, train_dl, eval_dl)

    for epoch in range(epochs):
        model.train()
        for batch in train_dl:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        texts = []
        for batch in eval_dl:
            with torch.no_grad():
                ids = accelerator.unwrap_model(model).generate(batch["input_ids"], max_new_tokens=40)
            ids = accelerator.pad_across_processes(ids, dim=1, pad_index=tokenizer.pad_token_id)
            texts += tokenizer.batch_decode(accelerator.gather_for_metrics(ids), skip_special_tokens=True)
        accelerator.print(f"epoch {epoch}: {texts[:2]}")

        bare = accelerator.unwrap_model(model)
        bare.config.epoch = epoch
        bare.save_pretrained(out, is_main_process=accelerator.is_main_process, save_function=accelerator.save)
