import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def distill(teacher, student, dataset, *, epochs=1, temperature=4.0):
    accelerator = Accelerator()
    teacher.eval().requires_grad_(False).to(accelerator.device)
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-4)
    dataloader = DataLoader(dataset, batch_size=64, shuffle=True)

    # the teacher is frozen and stays out
    accelerator.prepare(
        student,
        optimizer,
        dataloader,  # one source for both
    )

    student.train()
    for _ in range(epochs):
        for images in dataloader:
            with torch.no_grad():
                wanted = (teacher(images) / temperature).softmax(dim=-1)
            logits = student(images) / temperature
            loss = nn.functional.cross_entropy(logits, wanted) * temperature**2
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
