# Right: before prepare the raw model goes into a regulariser and a pipeline, which read weights or sample.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline


class WeightDistance(nn.Module):
    def __init__(self, model, strength):
        super().__init__()
        self.strength = strength
        self.start = [p.detach().clone() for p in model.parameters()]

    def forward(self, parameters):
        pairs = zip(parameters, self.start)
        return self.strength * sum((p - s.to(p.device)).square().sum() for p, s in pairs)


def finetune(name, blocks, prompt, epochs=1):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    writer = pipeline("text-generation", model=model, tokenizer=tokenizer)
    accelerator.print(writer(prompt, max_new_tokens=20)[0]["generated_text"])
    stay_near = WeightDistance(model, strength=1e-3)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-5)
    loader = DataLoader(blocks, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    model.train()
    for _ in range(epochs):
        for ids in loader:
            loss = model(input_ids=ids, labels=ids).loss + stay_near(trained)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad()
