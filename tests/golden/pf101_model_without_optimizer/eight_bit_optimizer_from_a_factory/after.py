import argparse

from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, default_data_collator

from my_corpus import load_blocks


def get_optimizer(model, args):
    if args.use_8bit:
        import bitsandbytes as bnb

        optimizer_class = bnb.optim.AdamW8bit
    else:
        from torch.optim import AdamW as optimizer_class
    return optimizer_class(filter(lambda p: p.requires_grad, model.parameters()), lr=args.lr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_name", default="gpt2")
    parser.add_argument("--use_8bit", action="store_true")
    parser.add_argument("--lr", type=float, default=1e-5)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    args = parser.parse_args()

    set_seed(3)
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    model = AutoModelForCausalLM.from_pretrained(args.model_name)
    model.gradient_checkpointing_enable()
    optimizer = get_optimizer(model, args)
    dataloader = DataLoader(load_blocks(), batch_size=2, shuffle=True, collate_fn=default_data_collator)

    model, optimizer, dataloader = accelerator.prepare(model, optimizer, dataloader)
    model.train()

    for batch in dataloader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained("out", is_main_process=accelerator.is_main_process)


if __name__ == "__main__":
    main()
