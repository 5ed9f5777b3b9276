# Right: evaluation_mode=True says that the reward model does not train; the policy trains with its optimizer.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification


def reinforce(policy_id, reward_id, prompts, lr=1e-6, length=32):
    accelerator = Accelerator()
    policy = AutoModelForCausalLM.from_pretrained(policy_id)
    reward_model = AutoModelForSequenceClassification.from_pretrained(reward_id, num_labels=1)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)
    loader = DataLoader(prompts, batch_size=4, shuffle=True)
    policy, optimizer, loader = accelerator.prepare(policy, optimizer, loader)
    reward_model = accelerator.prepare_model(reward_model, evaluation_mode=True)
    reward_model.eval()

    for ids in loader:
        with torch.no_grad():
            full = accelerator.unwrap_model(policy).generate(ids, max_new_tokens=length, do_sample=True)
            reward = reward_model(full).logits.squeeze(-1)
        logits = policy(full[:, :-1]).logits[:, ids.shape[1] - 1 :]
        chosen = full[:, ids.shape[1] :].unsqueeze(-1)
        log_probs = logits.log_softmax(dim=-1).gather(-1, chosen).squeeze(-1).sum(dim=1)
        loss = -((reward - reward.mean()) * log_probs).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
