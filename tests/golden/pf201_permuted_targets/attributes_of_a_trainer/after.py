from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader


class Finetuner:
    def __init__(self, model, tokenizer, texts, learning_rate=5e-5):
        self.accelerator = Accelerator(gradient_accumulation_steps=8)
        self.tokenizer = tokenizer
        self.model = model
        self.optimizer = AdamW(model.parameters(), lr=learning_rate)
        self.dataloader = DataLoader(texts, batch_size=2, shuffle=True, collate_fn=self.collate)

        self.model, self.optimizer, self.dataloader = self.accelerator.prepare(
            self.model, self.optimizer, self.dataloader
        )

    def collate(self, texts):
        batch = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        batch["labels"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        return batch

    def train(self, epochs=1):
        self.model.train()
        for _ in range(epochs):
            for batch in self.dataloader:
                with self.accelerator.accumulate(self.model):
                    loss = self.model(**batch).loss
                    self.accelerator.backward(loss)
                    self.optimizer.step()
                    self.optimizer.zero_grad()

    def save(self, folder):
        self.accelerator.wait_for_everyone()
        unwrapped = self.accelerator.unwrap_model(self.model)
        unwrapped.save_pretrained(folder, is_main_process=self.accelerator.is_main_process)
