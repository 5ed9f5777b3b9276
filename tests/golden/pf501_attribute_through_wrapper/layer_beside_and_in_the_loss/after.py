import torch
from accelerate import Accelerator
from torch import nn


class Ranker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(16, width)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, documents):
        return self.score(torch.relu(self.body(documents))).squeeze(-1)


def fit(loader, penalty):
    accelerator = Accelerator()
    ranker = Ranker(width=32)
    optimizer = torch.optim.AdamW(ranker.parameters(), lr=1e-3)
    ranker, optimizer, loader = accelerator.prepare(ranker, optimizer, loader)
    accelerator.unwrap_model(ranker).score.eval()
    for documents, relevance in loader:
        loss = nn.functional.mse_loss(ranker(documents), relevance)
        if accelerator.num_processes == 1:
            loss = loss + penalty * ranker.score.weight.abs().sum()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        accelerator.print(loss.item(), accelerator.unwrap_model(ranker).score.weight.detach().norm().item())
    accelerator.print({name: value.shape for name, value in accelerator.unwrap_model(ranker).body.state_dict().items()})
