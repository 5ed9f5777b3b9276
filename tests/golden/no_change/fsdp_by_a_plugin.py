# Right: FSDP is chosen in the script, and its wrapper hands the names of the model on.
import torch
from accelerate import Accelerator
from accelerate import FullyShardedDataParallelPlugin
from transformers import AutoModelForCausalLM


def train(name, loader, out):
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2)
    accelerator = Accelerator(fsdp_plugin=plugin)
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(model.config)
    model.save_pretrained(out, state_dict=accelerator.get_state_dict(model))
