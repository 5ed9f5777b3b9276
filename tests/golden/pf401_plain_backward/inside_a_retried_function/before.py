import evaluate
import torch
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size, set_seed
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification

from mrpc import collate_fn, tokenized_datasets


def training_function(config):
    accelerator = Accelerator(mixed_precision=config["mixed_precision"])
    metric = evaluate.load("glue", "mrpc")

    @find_executable_batch_size(starting_batch_size=config["batch_size"])
    def inner_training_loop(batch_size):
        accelerator.free_memory()
        set_seed(config["seed"])
        model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
        optimizer = AdamW(model.parameters(), lr=config["lr"])
        train_dl = DataLoader(tokenized_datasets["train"], batch_size=batch_size, shuffle=True, collate_fn=collate_fn)
        eval_dl = DataLoader(tokenized_datasets["validation"], batch_size=32, collate_fn=collate_fn)
        model, optimizer, train_dl, eval_dl = accelerator.prepare(model, optimizer, train_dl, eval_dl)

        for epoch in range(config["num_epochs"]):
            model.train()
            for batch in train_dl:
                loss = model(**batch).loss
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()

            model.eval()
            for batch in eval_dl:
                with torch.no_grad():
                    predictions = model(**batch).logits.argmax(dim=-1)
                predictions, references = accelerator.gather_for_metrics((predictions, batch["labels"]))
                metric.add_batch(predictions=predictions, references=references)
            accelerator.print(f"epoch {epoch}:", metric.compute())

    inner_training_loop()


if __name__ == "__main__":
    training_function({"lr": 2e-5, "num_epochs": 3, "seed": 42, "batch_size": 64, "mixed_precision": "fp16"})
