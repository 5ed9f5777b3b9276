import logging

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from torch import nn
from torch.utils.data import DataLoader

logger = get_logger(__name__)


def finetune(model, dataset, *, lr, max_steps, batch_size):
    logging.basicConfig(level=logging.INFO)
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)

    logger.info("examples: %d, batch size per device: %d", len(dataset), batch_size)
    trainable = [p for p in model.parameters() if p.requires_grad]
    logger.info("trainable weights: %d", sum(p.numel() for p in trainable))
    optimizer = torch.optim.AdamW(trainable, lr=lr, betas=(0.9, 0.98))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    step = 0
    model.train()
    while step < max_steps:
        for batch in loader:
            logits = model(batch["inputs"])
            loss = nn.functional.binary_cross_entropy_with_logits(logits, batch["targets"])
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trainable, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step == max_steps:
                break
    accelerator.wait_for_everyone()
    return accelerator.unwrap_model(model)
