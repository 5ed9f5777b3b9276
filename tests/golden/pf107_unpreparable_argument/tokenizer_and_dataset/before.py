# Neither is anything that prepare would wrap.
import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling


def main():
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    train_dataset = load_dataset("json", data_files="tokens.jsonl", split="train")
    model, optimizer, train_dataset, tokenizer = accelerator.prepare(model, optimizer, train_dataset, tokenizer)

    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    train_loader = accelerator.prepare(DataLoader(train_dataset, batch_size=8, shuffle=True, collate_fn=collator))
    for batch in train_loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
