from accelerate import Accelerator
from torch.nn import utils
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def main(blocks, name="EleutherAI/pythia-70m", epochs=1, max_norm=1.0):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = AdamW(model.parameters(), lr=1e-5)
    loader = DataLoader(blocks, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    model.train()
    for epoch in range(epochs):
        for ids in loader:
            loss = model(input_ids=ids, labels=ids).loss
            loss.backward()
            utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
