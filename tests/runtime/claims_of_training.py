"""The claims of the rules from PF3 on, see ``claims.py``."""

from __future__ import annotations

from claims import (
    ACCUMULATING,
    ALL_DATA,
    ALWAYS,
    BOTH,
    DIVERGE,
    EACH,
    EXPLAINS,
    OTHER_RATE,
    RIGHT,
    SEVERAL,
    Evidence,
    Told,
    shown,
)
from worlds import FSDP1, FSDP2, ONE, ONE_ACCUMULATING, SCALER, TWO, TWO_ACCUMULATING

LAST = "only the last micro batch counts"

CLAIMS: dict[str, dict[str, Evidence]] = {
    "PF301": {
        "On one process nothing changes, which is why it goes unnoticed.": (
            shown("pf301_stale_model", RIGHT, ONE),
            shown("pf301_stale_optimizer", RIGHT, ONE),
            shown("pf301_stale_zero_grad", RIGHT, ONE),
            shown("pf301_stale_loader", RIGHT, ONE),
            shown("pf301_stale_scheduler", RIGHT, ONE),
        ),
        "On two, a stale model makes the ranks diverge and a stale loader shows all the data to every rank.": (
            shown("pf301_stale_model", DIVERGE, *SEVERAL),
            shown("pf301_stale_loader", ALL_DATA, *SEVERAL, FSDP2),
        ),
        "A stale optimizer steps on every micro batch when gradients are accumulated, a stale ``zero_grad`` throws "
        "gathered gradients away, a stale scheduler runs at the wrong rate.": (
            shown("pf301_stale_optimizer", EACH, ONE_ACCUMULATING),
            shown("pf301_stale_zero_grad", LAST, *ACCUMULATING),
            shown("pf301_stale_scheduler", OTHER_RATE, ONE_ACCUMULATING, *SEVERAL),
        ),
    },
    "PF302": {
        "The new object is as raw as if the old one had never been prepared.": EXPLAINS,
        "An optimizer steps on every micro batch when gradients are accumulated (on two processes the ranks diverge), "
        "and never unscales fp16 gradients.": (
            shown("pf302_optimizer_built_again", EACH, ONE_ACCUMULATING),
            shown("pf302_optimizer_built_again", DIVERGE, TWO_ACCUMULATING),
            shown("pf302_optimizer_built_again", "parameters explode", SCALER),
        ),
        "A loader shows all the data to every rank.": (shown("pf302_loader_built_again", ALL_DATA, *SEVERAL, FSDP2),),
    },
    "PF303": {
        "On one process nothing is wrong.": (shown("pf303_unwrapped_in_the_loop", RIGHT, ONE, ONE_ACCUMULATING),),
        "On two, the bare model knows nothing of the gradient exchange: the ranks train for themselves and diverge, "
        "without a message.": (shown("pf303_unwrapped_in_the_loop", DIVERGE, *SEVERAL),),
    },
    "PF304": {
        "The whole model calls the raw part, so what prepare put around it never runs: on two processes the gradients "
        "are not averaged and the ranks diverge.": (shown("pf304_part_prepared", DIVERGE, *SEVERAL),),
    },
    "PF305": {
        "Under DDP a layer that is frozen after prepare stops the training with a RuntimeError in the second "
        "iteration.": (shown("pf305_frozen_after_the_call", "RuntimeError", *SEVERAL),),
        "A layer that is replaced is never trained, on one process already: the optimizer has the old one's "
        "parameters.": (shown("pf305_layer_replaced", "no training", *ALWAYS),),
        "The keys of a prepared model begin with ``module.`` under DDP, and those of a file usually do not.": (
            shown("pf305_weights_loaded", "RuntimeError", *SEVERAL),
        ),
    },
    "PF401": {
        "In full precision and without gradient accumulation nothing is wrong.": (
            shown("pf401_plain_backward", RIGHT, *BOTH, FSDP2),
        ),
        "With accumulation the loss is not divided by the number of micro batches: gradients are that many times too "
        "big.": (shown("pf401_plain_backward", "gradients 2 times too big", *ACCUMULATING),),
        "With fp16 the loss is not scaled and the step raises an AssertionError (measured with an emulated scaler).": (
            shown("pf401_plain_backward", "AssertionError", SCALER),
        ),
    },
    "PF402": {
        "In full precision under DDP nothing is wrong.": (shown("pf402_plain_clipping", RIGHT, *SEVERAL),),
        "With fp16 the gradients are still scaled when they are clipped: wrong (measured with an emulated scaler).": (
            # A norm of 0.5 is nothing once it is divided by the scale.
            shown("pf402_plain_clipping", "no training", SCALER),
        ),
        "Under FSDP1 the norm is that of one rank's shard only.": (
            shown("pf402_clipping_flat_parameters", "wrong parameters", FSDP1),
        ),
    },
    "PF403": {
        "``accelerator.backward`` divides the loss by the count, but without ``accumulate`` the optimizer steps on "
        "every micro batch: wrong parameters on one process and on several.": (
            shown("pf403_no_accumulate", EACH, *ACCUMULATING),
        ),
        "A model that ``accumulate`` does not name trains to the same result; its gradients are exchanged on every "
        "micro batch for nothing.": (
            shown("pf403_second_model_not_named", RIGHT, *ALWAYS[:4]),
            Told("accelerate 1.15.0, accelerator.py, lines 1230 to 1240"),
        ),
    },
    "PF404": {
        "A prepared optimizer skips ``zero_grad`` on all micro batches but the last of each group.": EXPLAINS,
        "On that one it zeroes what was gathered before, so only the last micro batch counts: wrong parameters on one "
        "process and on several.": (shown("pf404_zero_grad_first", LAST, *ACCUMULATING),),
        "``model.zero_grad()`` skips nothing: in front of the backward as well as behind the step it throws away the "
        "gradients of every micro batch.": (
            shown("pf404_model_zeroes_first", LAST, *ACCUMULATING),
            shown("pf404_model_zeroes_behind_the_step", LAST, *ACCUMULATING),
        ),
    },
    "PF405": {
        "``Accelerator.backward`` divides the loss by the count that it was given.": EXPLAINS,
        "With accumulation the gradients are then that many times too small: wrong parameters on one process and on "
        "several.": (shown("pf405_divided_by_hand", "gradients 2 times too small", *ACCUMULATING),),
    },
    "PF406": {
        "With accumulation the sum of the gradients is clipped again and again while it is gathered, instead of once "
        "when it is complete: wrong parameters on one process and on several.": (
            shown("pf406_clips_every_micro_batch", "clips on every micro batch", ONE_ACCUMULATING),
            shown("pf406_clips_every_micro_batch", "wrong parameters", TWO_ACCUMULATING),
        ),
    },
    "PF501": {
        "On one process, and under FSDP2, prepare gives the model itself back and the read works.": (
            shown("pf501_unit_of_the_model", RIGHT, ONE, ONE_ACCUMULATING, FSDP2),
        ),
        "On several processes under DDP it gives a wrapper, and the read raises an AttributeError.": (
            shown("pf501_unit_of_the_model", "AttributeError", *SEVERAL),
        ),
        "A pipeline looks at the class of what it is handed, and raises a ValueError.": (
            Told("diffusers 0.40, pipeline_loading_utils.py, lines 381 to 388"),
        ),
    },
    "PF502": {
        "The wrapper of DDP has that attribute.": (shown("pf502_module_of_the_wrapper", RIGHT, *SEVERAL),),
        "On one process, and under FSDP2, prepare gives no wrapper and the read raises an AttributeError: the script "
        "can't be tried out on one GPU.": (
            shown("pf502_module_of_the_wrapper", "AttributeError", ONE, ONE_ACCUMULATING, FSDP2),
        ),
    },
    "PF503": {
        "On one process the file is right.": (shown("pf503_state_dict_of_the_wrapper", RIGHT, ONE, ONE_ACCUMULATING),),
        "Under DDP every key of the state dict begins with ``module.``, so the bare model does not load it; "
        "``save_pretrained`` raises an AttributeError there.": (
            shown("pf503_state_dict_of_the_wrapper", "the keys begin with `module.`", *SEVERAL),
            shown("pf503_save_pretrained", "AttributeError", *SEVERAL),
        ),
    },
    "PF601": {
        "``load_state`` fills the objects that prepare has registered, and there are none yet.": EXPLAINS,
        "It raises nothing, and the training starts from fresh weights.": (
            shown("pf601_loaded_too_early", "the result of one epoch", *ALWAYS),
        ),
    },
    "PF602": {
        "One process does not notice.": (shown("pf602_gather_on_one_process", RIGHT, ONE),),
        "On two, the one that makes the call waits for the other, which never comes: the run hangs.": (
            shown("pf602_gather_on_one_process", "hangs", TWO),
            shown("pf602_state_saved_by_one_process", "hangs", TWO),
        ),
    },
}
