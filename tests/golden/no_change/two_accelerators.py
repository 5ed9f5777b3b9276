# Right: student and teacher have an accelerator each, as two DeepSpeed configurations need it.
import torch
from accelerate import Accelerator, DeepSpeedPlugin
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def distill(student_name, teacher_name, blocks, configs):
    plugins = {name: DeepSpeedPlugin(hf_ds_config=config) for name, config in configs.items()}
    student_accelerator = Accelerator(deepspeed_plugins=plugins)
    teacher_accelerator = Accelerator()

    student = AutoModelForCausalLM.from_pretrained(student_name)
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-5)
    loader = DataLoader(blocks, batch_size=2, shuffle=True)
    student, optimizer, loader = student_accelerator.prepare(student, optimizer, loader)

    student_accelerator.state.select_deepspeed_plugin("teacher")
    teacher = AutoModelForCausalLM.from_pretrained(teacher_name)
    teacher = teacher_accelerator.prepare(teacher)
    teacher.eval()

    for ids in loader:
        with torch.no_grad():
            goal = teacher(ids).logits.softmax(dim=-1)
        loss = torch.nn.functional.cross_entropy(student(ids).logits.flatten(0, 1), goal.flatten(0, 1))
        student_accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
