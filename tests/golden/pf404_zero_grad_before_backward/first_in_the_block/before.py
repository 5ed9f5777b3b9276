import torch
from accelerate import Accelerator
from diffusers import UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from torch.utils.data import DataLoader


def train(config, dataset, noise_scheduler):
    accelerator = Accelerator(gradient_accumulation_steps=config.gradient_accumulation_steps)
    model = UNet2DModel.from_pretrained(config.base)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    loader = DataLoader(dataset, batch_size=config.train_batch_size, shuffle=True)
    lr_scheduler = get_cosine_schedule_with_warmup(optimizer, 500, config.max_steps)
    model, optimizer, loader, lr_scheduler = accelerator.prepare(model, optimizer, loader, lr_scheduler)

    for step, clean in enumerate(loader):
        noise = torch.randn_like(clean)
        timesteps = torch.randint(0, 1000, (clean.shape[0],), device=clean.device)
        noisy = noise_scheduler.add_noise(clean, noise, timesteps)

        with accelerator.accumulate(model):
            # start from nothing
            optimizer.zero_grad()

            predicted = model(noisy, timesteps, return_dict=False)[0]
            loss = torch.nn.functional.mse_loss(predicted, noise)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lr_scheduler.step()

        accelerator.log({"loss": loss.detach().item()}, step=step)
