import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

accelerator = Accelerator()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
lm = AutoModelForCausalLM.from_pretrained("gpt2")
opt = torch.optim.AdamW(lm.parameters(), lr=1e-5)
texts = DataLoader(["a", "b"], batch_size=1, collate_fn=tokenizer)
lm, opt, texts = accelerator.prepare(lm, opt, texts)
tokenizer.add_tokens(["<tool>"])
accelerator.unwrap_model(lm).resize_token_embeddings(len(tokenizer))
for batch in texts:
    accelerator.backward(lm(**batch, labels=batch["input_ids"]).loss)
    opt.step()
    opt.zero_grad()
