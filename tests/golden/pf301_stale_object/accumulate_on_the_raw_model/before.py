import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL
from torch.utils.data import DataLoader


def finetune_decoder(pixels, steps, lr=1e-5):
    accelerator = Accelerator(gradient_accumulation_steps=8, mixed_precision="bf16")
    vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse")
    vae.encoder.requires_grad_(False)
    vae.quant_conv.requires_grad_(False)
    optimizer = torch.optim.AdamW((p for p in vae.parameters() if p.requires_grad), lr=lr)
    batches = DataLoader(pixels, batch_size=1, shuffle=True)
    model, optimizer, batches = accelerator.prepare(vae, optimizer, batches)

    model.train()
    for step, image in enumerate(batches):
        with accelerator.accumulate(vae):
            restored = model(image).sample
            loss = (restored - image).abs().mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if step == steps:
            break
    accelerator.unwrap_model(model).save_pretrained("decoder")
