# Right: generation prepares the model only, there is nothing to pair it with.
import json

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from transformers import AutoModelForCausalLM, AutoTokenizer


def main(model_id, prompts, out):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(model_id, padding_side="left")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(model_id, torch_dtype=torch.bfloat16)
    model = accelerator.prepare(model)
    model.eval()

    answers = []
    with accelerator.split_between_processes(prompts) as own:
        for start in range(0, len(own), 4):
            batch = tokenizer(own[start : start + 4], return_tensors="pt", padding=True).to(accelerator.device)
            with torch.no_grad():
                ids = accelerator.unwrap_model(model).generate(**batch, max_new_tokens=64)
            answers += tokenizer.batch_decode(ids[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)

    answers = gather_object(answers)
    if accelerator.is_main_process:
        with open(out, "w") as file:
            json.dump(answers, file)
