"""Which call creates which role, and which calls hand an object through: the catalogue.

Names are dotted paths as imports resolve them. Sources are given with each table; where nothing is said, the
name is that of the package's public documentation.
"""

from __future__ import annotations

import re
from functools import lru_cache

from prepare_fix.flow.objects import Role

ACCELERATOR_CLASSES = frozenset({"accelerate.Accelerator", "accelerate.accelerator.Accelerator"})
ACCELERATOR_NAMES = frozenset({"accelerator", "accelerate", "_accelerator", "acc"})
# Members that nothing but an Accelerator has (accelerate 1.15, src/accelerate/accelerator.py).
_ACCELERATOR_MEMBERS = (
    r"backward|is_main_process|is_local_main_process|unwrap_model|accumulate"
    r"|num_processes|process_index|sync_gradients|wait_for_everyone|gather|gather_for_metrics|clip_grad_norm_|prepare_model"
    r"|prepare_optimizer|prepare_data_loader|prepare_scheduler|save_state|load_state|autocast|gradient_accumulation_steps"
    r"|distributed_type|device|prepare"
)
# One pattern per name, each beginning with the name itself: ``re`` looks for a literal start ten times faster than for
# ``\b`` and alternatives.
_ACCELERATOR_EVIDENCE = tuple(
    re.compile(rf"{name}(?<!\w{name})\s*\.\s*(?:{_ACCELERATOR_MEMBERS})\b") for name in sorted(ACCELERATOR_NAMES)
)

PREPARE_METHODS = {
    "prepare": None,
    "prepare_model": Role.MODEL,
    "prepare_optimizer": Role.OPTIMIZER,
    "prepare_data_loader": Role.DATALOADER,
    "prepare_scheduler": Role.SCHEDULER,
}
"""The methods of an Accelerator that prepare, with the role of those that take one object."""

# accelerate 1.15.0, ``src/accelerate/accelerator.py``: the properties that a running process keeps.
LASTING_ATTRIBUTES = frozenset(
    "device distributed_type is_last_process is_local_main_process is_main_process local_process_index mixed_precision "
    "num_processes process_index use_distributed".split()
)

ACCUMULATE_METHODS = frozenset({"accumulate", "no_sync"})

# Calls that return the object they are given (moved, switched or wrapped in place).
IDENTITY_METHODS = frozenset(
    "to cuda cpu half float double bfloat16 eval train requires_grad_ share_memory apply to_empty xpu type "
    "contiguous compile __enter__ set_mode unwrap".split()
)
IDENTITY_CALLS = frozenset(
    {
        "torch.compile",
        "torch.jit.script",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "typing.cast",
        "peft.get_peft_model",
        "peft.prepare_model_for_kbit_training",
    }
)
DISTRIBUTED_WRAPPERS = frozenset(
    {
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
    }
)
"""Wrappers that synchronise gradients themselves."""

UNWRAP_CALLS = frozenset(
    {
        "accelerate.utils.extract_model_from_parallel",
        "accelerate.utils.other.extract_model_from_parallel",
        "accelerate.utils.unwrap_model",
        "diffusers.training_utils.unwrap_model",
    }
)
UNWRAP_ATTRIBUTES = frozenset({"module", "_orig_mod"})

PARAMETER_METHODS = frozenset({"parameters", "named_parameters", "trainable_parameters", "get_trainable_params"})

# Give a loader that leaves out the first batches: walks the other one, and is a loader itself.
SKIPPING_CALLS = frozenset({"accelerate.skip_first_batches", "accelerate.data_loader.skip_first_batches"})

# Calls around a loader that give its batches one by one.
ITERATING_CALLS = frozenset(
    {
        "builtins.iter",
        "builtins.enumerate",
        "builtins.zip",
        "builtins.reversed",
        "builtins.filter",
        "builtins.map",
        "itertools.cycle",
        "itertools.islice",
        "itertools.chain",
        "itertools.chain.from_iterable",
        "itertools.zip_longest",
        "tqdm.tqdm",
        "tqdm.auto.tqdm",
        "tqdm.autonotebook.tqdm",
        "tqdm.notebook.tqdm",
        "tqdm.std.tqdm",
        "rich.progress.track",
        "accelerate.utils.tqdm",
        "accelerate.utils.tqdm.tqdm",
        *SKIPPING_CALLS,
    }
)
NUMBERED_CALLS = frozenset({"builtins.enumerate"})
ZIPPING_CALLS = frozenset({"builtins.zip", "itertools.zip_longest"})
# These are given a function first.
APPLYING_CALLS = frozenset({"builtins.filter", "builtins.map"})
# Which of them walk all that they are given by position, not only the first: the others count or name things with it.
WALKING_ALL = frozenset(
    {*ZIPPING_CALLS, *APPLYING_CALLS, "itertools.chain", "accelerate.utils.tqdm", "accelerate.utils.tqdm.tqdm"}
)
WALKED_KEYWORDS = frozenset({"iterable", "iterables", "sequence", "dataloader"})
COLLECTING_CALLS = frozenset(
    {"builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set", "collections.deque"}
)

NO_GRAD_CONTEXTS = frozenset(
    {
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.no_grad",
        "torch.autograd.grad_mode.no_grad",
        "torch.autograd.grad_mode.inference_mode",
    }
)
BATCH_SIZE_FINDERS = frozenset(
    {"accelerate.utils.find_executable_batch_size", "accelerate.utils.memory.find_executable_batch_size"}
)
LAUNCHERS = frozenset(
    {
        "accelerate.notebook_launcher",
        "accelerate.debug_launcher",
        "accelerate.launchers.notebook_launcher",
        "accelerate.launchers.debug_launcher",
    }
)
ENDING_CALLS = frozenset({"sys.exit", "os._exit", "builtins.exit", "builtins.quit"})

CLIP_CALLS = {
    "torch.nn.utils.clip_grad_norm_": "clip_grad_norm_",
    "torch.nn.utils.clip_grad.clip_grad_norm_": "clip_grad_norm_",
    "torch.nn.utils.clip_grad_value_": "clip_grad_value_",
    "torch.nn.utils.clip_grad.clip_grad_value_": "clip_grad_value_",
}
"""Gradient clipping of torch, and the method of the accelerator that takes its place."""

DIVIDING_METHODS = frozenset({"div", "div_", "divide", "divide_", "true_divide", "true_divide_"})
"""What divides a tensor, in place where the name ends with ``_``."""
DIVIDING_CALLS = frozenset({"torch.div", "torch.divide", "torch.true_divide"})

GRAD_SCALERS = frozenset({"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler"})

SAVE_CALLS = frozenset({"torch.save", "safetensors.torch.save_file", "accelerate.utils.save"})
"""Functions that write what they are given first to a file."""

RECORDED_CALLS = frozenset({*CLIP_CALLS, *GRAD_SCALERS, *DISTRIBUTED_WRAPPERS, *SAVE_CALLS})
"""Calls that rules ask the trace for by name."""
RECORDED_FIRST = frozenset({"parameters", "module", "obj", "tensors"})
"""What their first parameters are called, which may be given by keyword anywhere."""

# Optimizers that do not live in a module called ``optim``; from bitsandbytes, transformers, timm, torch_optimizer,
# pytorch_optimizer, prodigyopt, lion_pytorch, schedulefree and accelerate's own DummyOptim
# (accelerate/utils/deepspeed.py).
_OPTIMIZER_CLASS = re.compile(
    r"(?:Paged)?(?:Adam|AdamW|SGD|RMSprop|Adagrad|Adadelta|Adamax|NAdam|RAdam|ASGD|LBFGS|SparseAdam|Rprop|Muon|Lion|Lamb|LAMB|LARS"
    r"|Adafactor|Prodigy|DAdaptAdam|DAdaptLion|DAdaptSGD|CAME|Sophia|SophiaG|Adan|AdaBelief|Apollo|DummyOptim)"
    r"(?:8bit|32bit|ScheduleFree|Mini|GO)*"
)
_SCHEDULER_FUNCTION = re.compile(
    r"get_(?:\w+_)?(?:scheduler|schedule)(?:_\w+)?|(?:\w+LR|\w*LRScheduler|DummyScheduler|ReduceLROnPlateau)"
)
_LOADER_CLASS = re.compile(r"(?:Stateful|MultiEpochs|Fast|Prefetch)?DataLoader|PyGDataLoader")
# What ``from_pretrained`` also loads: none of these is a torch module that trains.
_NOT_A_MODEL = re.compile(
    r".*(?:Tokenizer|TokenizerFast|Processor|FeatureExtractor|Config|Scheduler|Pipeline|GenerationConfig|Dataset)"
)
_MODEL_FACTORY = re.compile(r"timm\.(?:models\.)?create_model|torchvision\.models\.\w+(?:\.\w+)?|torch\.hub\.load")


@lru_cache(maxsize=4096)
def role_of_call(path: str) -> Role:
    """Return the role of what a call of the imported ``path`` creates; UNKNOWN where the catalogue has no say."""
    module, _, last = path.rpartition(".")
    if _SCHEDULER_FUNCTION.fullmatch(last) and not module.endswith("optim"):
        return Role.SCHEDULER
    if _LOADER_CLASS.fullmatch(last):
        return Role.DATALOADER
    if _OPTIMIZER_CLASS.fullmatch(last) or (module.startswith("torch.optim") and last[:1].isupper()):
        return Role.OPTIMIZER
    if last in {"from_pretrained", "from_config"}:
        return Role.UNKNOWN if _NOT_A_MODEL.fullmatch(module) else Role.MODEL
    if _MODEL_FACTORY.fullmatch(path):
        return Role.MODEL
    if module in {"torch.nn", "torch.nn.modules"} and last[:1].isupper():
        return Role.UNKNOWN if last.endswith("Loss") or last in {"Parameter", "Buffer"} else Role.MODEL
    return Role.UNKNOWN


def role_of_base(path: str) -> Role:
    """Return the role of instances of a class of the file that derives from the imported ``path``."""
    if path.rpartition(".")[2] in {"PreTrainedModel", "ModelMixin"}:
        return Role.MODEL
    if path.endswith(("optim.Optimizer", "optim.optimizer.Optimizer")):
        return Role.OPTIMIZER
    return role_of_call(path)


# Every finding needs a prepare call, or a backward or accumulate of an accelerator (bound methods included).
_PREPARES = re.compile(r"\.prepare(?:_model|_optimizer|_data_loader|_scheduler)?\b")
_TRAINS = re.compile(r"accelerat\w*\.(?:backward|accumulate)\b|\bAccelerator\((?s:.*)\.(?:backward|accumulate)\b")


def can_matter(text: str) -> bool:
    """Return whether a script with this text can do anything that a rule looks at."""
    return _PREPARES.search(text) is not None or _TRAINS.search(text) is not None


def speaks_of_accelerators(text: str) -> bool:
    """Return whether ``text`` uses something called ``accelerator`` (or its usual variants) as an Accelerator."""
    return any(pattern.search(text) for pattern in _ACCELERATOR_EVIDENCE)
