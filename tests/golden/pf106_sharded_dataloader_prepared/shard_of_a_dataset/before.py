import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, default_data_collator


def main():
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    tokenized = load_dataset("json", data_files="tokens.jsonl", split="train").with_format("torch")
    tokenized = tokenized.shard(num_shards=accelerator.num_processes, index=accelerator.process_index)
    train_dataloader = DataLoader(tokenized, shuffle=True, batch_size=2, collate_fn=default_data_collator)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)
    for batch in train_dataloader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
