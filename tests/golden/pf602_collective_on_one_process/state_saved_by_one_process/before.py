import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration


def train(policy, loader, reward, folder, epochs, save_every):
    project = ProjectConfiguration(project_dir=folder, automatic_checkpoint_naming=True, total_limit=3)
    accelerator = Accelerator(project_config=project)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-5)
    policy, optimizer, loader = accelerator.prepare(policy, optimizer, loader)
    for epoch in range(epochs):
        for prompts in loader:
            accelerator.backward(-reward(policy(prompts)).mean())
            optimizer.step()
            optimizer.zero_grad()
        if epoch % save_every == 0 and accelerator.is_main_process:
            accelerator.save_state()
