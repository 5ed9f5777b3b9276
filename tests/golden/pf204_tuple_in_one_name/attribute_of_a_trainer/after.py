import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class DetectorTrainer:
    def __init__(self, detector, dataset, epochs=12):
        self.accelerator = Accelerator()
        self.epochs = epochs
        self.detector = detector
        self.optimizer = torch.optim.SGD(detector.parameters(), lr=5e-3, momentum=0.9)
        self.loader = DataLoader(dataset, batch_size=2, shuffle=True, collate_fn=lambda rows: tuple(zip(*rows)))
        self.detector, self.optimizer, self.loader = self.accelerator.prepare(
            self.detector,
            self.optimizer,
            self.loader,
        )

    def fit(self):
        self.detector.train()
        for epoch in range(self.epochs):
            for images, targets in self.loader:
                losses = self.detector(list(images), list(targets))
                loss = sum(losses.values())
                self.optimizer.zero_grad()
                self.accelerator.backward(loss)
                self.optimizer.step()
            self.accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
