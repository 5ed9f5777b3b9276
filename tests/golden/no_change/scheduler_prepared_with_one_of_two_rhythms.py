# Right: the prepared schedule moves with the batches, the other one once per epoch and stays raw.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def train(encoder, head, dataset, epochs=12):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    encoder_opt = torch.optim.AdamW(encoder.parameters(), lr=1e-5)
    head_opt = torch.optim.SGD(head.parameters(), lr=0.1)
    encoder_schedule = get_linear_schedule_with_warmup(encoder_opt, 100, epochs * len(loader))
    head_schedule = StepLR(head_opt, step_size=4, gamma=0.1)
    encoder, head, encoder_opt, head_opt, loader, encoder_schedule = accelerator.prepare(
        encoder, head, encoder_opt, head_opt, loader, encoder_schedule
    )
    for _ in range(epochs):
        for x, y in loader:
            accelerator.backward(torch.nn.functional.cross_entropy(head(encoder(x)), y))
            encoder_opt.step()
            head_opt.step()
            encoder_schedule.step()
            encoder_opt.zero_grad()
            head_opt.zero_grad()
        head_schedule.step()
