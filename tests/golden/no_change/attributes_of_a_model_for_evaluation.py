# Right: evaluation_mode makes no wrapper, so the teacher's own attributes are there.
import torch
from accelerate import Accelerator
from transformers import AutoModel


def distill(name, student, loader):
    accelerator = Accelerator()
    teacher = accelerator.prepare_model(AutoModel.from_pretrained(name), evaluation_mode=True)
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
    student, optimizer, loader = accelerator.prepare(student, optimizer, loader)
    accelerator.print(teacher.config.hidden_size, teacher.dtype)
    for batch in loader:
        with torch.no_grad():
            wanted = teacher(batch).last_hidden_state
        accelerator.backward((student(batch) - wanted).square().mean())
        optimizer.step()
        optimizer.zero_grad()
