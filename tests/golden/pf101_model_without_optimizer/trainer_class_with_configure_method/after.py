import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class RegressionTrainer:
    def __init__(self, model, dataset, config):
        self.config = config
        self.accelerator = Accelerator(log_with="tensorboard", project_dir=config["log_dir"])
        self.model = model
        self.loader = DataLoader(dataset, batch_size=config["batch_size"], shuffle=True)
        self.optimizer = self.configure_optimizer()
        self.criterion = nn.SmoothL1Loss()
        self.global_step = 0
        self.setup()

    def configure_optimizer(self):
        decay, no_decay = [], []
        for name, parameter in self.model.named_parameters():
            (no_decay if name.endswith("bias") else decay).append(parameter)
        groups = [{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=self.config["lr"])

    def setup(self):
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)
        self.accelerator.init_trackers("regression", config=self.config)

    def train_step(self, features, targets):
        loss = self.criterion(self.model(features).squeeze(-1), targets)
        self.accelerator.backward(loss)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()

    def fit(self):
        self.model.train()
        for _ in range(self.config["epochs"]):
            for features, targets in self.loader:
                loss = self.train_step(features, targets)
                self.accelerator.log({"loss": loss}, step=self.global_step)
                self.global_step += 1
        self.accelerator.end_training()
