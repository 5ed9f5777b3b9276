# Right: the two ways of a model, with a wrapper and without, are told apart by the number of devices.
import torch
from accelerate import Accelerator


class Sampler:
    def __init__(self, flow, loader):
        self.accelerator = Accelerator()
        self.num_devices = self.accelerator.num_processes
        optimizer = torch.optim.Adam(flow.parameters())
        self.flow, self.optimizer, self.loader = self.accelerator.prepare(flow, optimizer, loader)

    def encode(self, text):
        if self.num_devices > 1:
            return self.flow.module.encode(text)
        return self.flow.encode(text)

    def scale(self):
        return self.flow.module.scale if torch.cuda.device_count() > 1 else self.flow.scale

    def fit(self):
        for batch in self.loader:
            self.accelerator.backward(self.flow(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
