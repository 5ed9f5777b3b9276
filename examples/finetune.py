"""Fine-tunes the last layers of a pretrained text encoder on a new task.

The "pretrained" weights are read from --weights, or made up when there are none.
"""

import argparse
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--weights", type=Path)
parser.add_argument("--output", type=Path, help="where to write the tuned weights")
parser.add_argument("--steps", type=int, default=60)
args = parser.parse_args()

torch.manual_seed(3)
accelerator = Accelerator()


class TextEncoder(nn.Module):
    def __init__(self, vocabulary=50, width=32, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, 4, 64, batch_first=True) for _ in range(2))
        self.classifier = nn.Linear(width, classes)

    def forward(self, tokens):
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
        return self.classifier(hidden.mean(dim=1))


encoder = TextEncoder()
if args.weights:
    encoder.load_state_dict(torch.load(args.weights, map_location="cpu"))
encoder.embedding.requires_grad_(False)
trainable = [parameter for parameter in encoder.parameters() if parameter.requires_grad]

# The task: does token 7 occur more often than token 8?
tokens = torch.randint(0, 50, (512, 24)).where(torch.rand(512, 24) < 0.7, torch.randint(7, 9, (512, 24)))
labels = ((tokens == 7).sum(dim=1) > (tokens == 8).sum(dim=1)).long()
loader = DataLoader(TensorDataset(tokens, labels), batch_size=32, shuffle=True)
optimizer = torch.optim.AdamW(trainable, lr=2e-3)

ddp_encoder, accelerated_optimizer, sharded_loader = accelerator.prepare(encoder, optimizer, loader)

step = 0
encoder.train()
while step < args.steps:
    for batch, answers in loader:
        loss = nn.functional.cross_entropy(encoder(batch.to(accelerator.device)), answers.to(accelerator.device))
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if step % 20 == 0:
            accelerator.print(f"step {step}: loss {loss.item():.3f}")

if args.output and accelerator.is_main_process:
    torch.save(accelerator.unwrap_model(encoder).state_dict(), args.output)
