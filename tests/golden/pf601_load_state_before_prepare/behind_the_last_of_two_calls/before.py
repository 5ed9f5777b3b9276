import torch
from accelerate import Accelerator


class Learner:
    def __init__(self, config, model, loader):
        self.config = config
        self.model = model
        self.loader = loader

    def fit(self):
        self.accelerator = Accelerator()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=self.config.lr)
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda step: 0.99**step)
        if self.config.resume:
            self.accelerator.load_state(self.config.resume)
        self.model, self.opt = self.accelerator.prepare(self.model, self.opt)
        self.loader, self.sched = self.accelerator.prepare(self.loader, self.sched)
        self.accelerator.register_for_checkpointing(self.sched)
        for x, y in self.loader:
            loss = torch.nn.functional.mse_loss(self.model(x), y)
            self.accelerator.backward(loss)
            self.opt.step()
            self.sched.step()
            self.opt.zero_grad()
