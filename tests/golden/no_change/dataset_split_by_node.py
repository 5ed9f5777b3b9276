# Right: split_dataset_by_node shards the stream before the loader sees it.
import torch
from accelerate import Accelerator
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


def main(name="gpt2", max_steps=1000):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(name)
    stream = load_dataset("wikimedia/wikipedia", "20231101.simple", split="train", streaming=True)
    stream = split_dataset_by_node(stream, rank=accelerator.process_index, world_size=accelerator.num_processes)
    stream = stream.map(lambda row: tokenizer(row["text"], truncation=True, max_length=512, padding="max_length"))
    loader = DataLoader(stream.select_columns(["input_ids"]).with_format("torch"), batch_size=2)

    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer = accelerator.prepare(model, optimizer)

    model.train()
    for step, batch in enumerate(loader):
        ids = batch["input_ids"].to(accelerator.device)
        loss = model(input_ids=ids, labels=ids).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step == max_steps:
            break
