import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import WhisperForConditionalGeneration, WhisperProcessor


def main():
    accelerator = Accelerator(gradient_accumulation_steps=4)
    processor = WhisperProcessor.from_pretrained("openai/whisper-tiny")
    model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-tiny")

    def collate(rows):
        arrays = [row["audio"]["array"] for row in rows]
        features = processor(arrays, sampling_rate=16_000, return_tensors="pt").input_features
        labels = processor.tokenizer([row["sentence"] for row in rows], return_tensors="pt", padding=True).input_ids
        return {"input_features": features, "labels": labels}

    recordings = load_dataset("mozilla-foundation/common_voice_11_0", "mt", split="train")
    train_dataloader = DataLoader(recordings, batch_size=4, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)

    model, optimizer, train_dataloader = accelerator.prepare(
        model, optimizer, train_dataloader
    )

    model.train()
    for step, batch in enumerate(train_dataloader):
        batch = {key: value.to(accelerator.device) for key, value in batch.items()}
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        if step % 100 == 0:
            accelerator.print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
