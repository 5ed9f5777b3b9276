import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train_ranker(features, relevance, rounds=50):
    accelerator = Accelerator()
    ranker = nn.Sequential(nn.Linear(136, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(ranker.parameters(), lr=1e-4)
    queries = DataLoader(list(zip(features, relevance)), batch_size=1, shuffle=True)

    ddp_ranker = accelerator.prepare(ranker, optimizer, queries)

    for _ in range(rounds):
        for documents, grades in queries:
            scores = ddp_ranker(documents).squeeze(-1)
            loss = nn.functional.kl_div(scores.log_softmax(-1), grades.softmax(-1), reduction="batchmean")
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return accelerator.unwrap_model(ddp_ranker)
