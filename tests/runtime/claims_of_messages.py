"""What findings say that follows from a mistake, and what shows it, see ``claims.py``.

Code and line numbers of the script are left open: ```_``` and ``_``.
"""

from __future__ import annotations

from claims import (
    ACCUMULATING,
    ALL_DATA,
    ALWAYS,
    DIVERGE,
    EACH,
    EXPLAINS,
    HALF,
    OTHER_RATE,
    RIGHT,
    SEVERAL,
    TWICE,
    Evidence,
    Told,
    shown,
)
from claims_of_training import LAST
from worlds import FSDP1, FSDP2, ONE, ONE_ACCUMULATING, SCALER, TWO, TWO_ACCUMULATING

FAST = "the schedule runs 2 times too fast"

MESSAGES: dict[str, dict[str, Evidence]] = {
    "PF101": {
        "with gradient accumulation it steps on every micro batch and ranks diverge, with fp16 gradients are never "
        "unscaled, under FSDP2 prepare raises a ValueError, and save_state writes no optimizer": (
            shown("pf101_model_alone", EACH, ONE_ACCUMULATING),
            shown("pf101_model_alone", DIVERGE, TWO_ACCUMULATING),
            shown("pf101_other_statements_in_between", EACH, ONE_ACCUMULATING),
            shown("pf101_other_statements_in_between", DIVERGE, TWO_ACCUMULATING),
            shown("pf101_model_alone", "parameters are NaN", SCALER),
            shown("pf101_model_alone", "ValueError", FSDP2),
            shown("pf101_model_alone", "save_state writes no optimizer", *ALWAYS[:4]),
        ),
    },
    "PF102": {
        "on several processes its gradients are never averaged and the ranks diverge; under FSDP2 prepare raises a "
        "ValueError": (
            shown("pf102_optimizer_alone", DIVERGE, *SEVERAL),
            shown("pf102_optimizer_alone", "ValueError", FSDP2),
            shown("pf102_state_dict_is_read", DIVERGE, *SEVERAL),
        ),
    },
    "PF103": {
        "on several processes every rank trains on all the data": (
            shown("pf103_loader_never_prepared", ALL_DATA, *SEVERAL, FSDP2),
        ),
        "on several processes every rank walks all the data, and gets each sample once from each rank": (
            shown("pf103_evaluation_gathers", "each sample is gathered once from each rank", *SEVERAL, FSDP2),
        ),
    },
    "PF104": {
        "its length counts the batches of one process, so on several processes, where each sees a share of them, the "
        "schedule only gets part of the way": (
            shown("pf104_length_of_the_raw_loader", "the rate ends at 0.05 instead of 0", TWO, FSDP2),
        ),
        "its length counts updates and it advances on every micro batch, so with gradient accumulation the schedule "
        "runs that many times too fast": (shown("pf104_length_of_the_raw_loader", OTHER_RATE, *ACCUMULATING),),
        "another scheduler of the script is prepared, and the two advance at different rates on several processes": (
            shown("pf104_length_of_the_raw_loader", OTHER_RATE, TWO),
        ),
    },
    "PF105": {
        "the same numbers on one process and under DDP, a ValueError under FSDP2, which needs both in one call": (
            shown("pf105_two_calls", RIGHT, *ALWAYS[:4]),
            shown("pf105_two_calls", "ValueError", FSDP2),
        ),
    },
    "PF106": {
        "on two processes each rank sees a quarter of the samples, and half of them are never used": (
            shown("pf106_sampler_of_its_own", HALF, *SEVERAL, FSDP2),
        ),
    },
    "PF107": {
        "": EXPLAINS,
        "nothing in it is prepared, and on several processes the ranks train alone": (
            shown("pf107_list", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf107_list_with_a_shuffled_loader", DIVERGE, *SEVERAL),
        ),
        "nothing in it is prepared: with gradient accumulation it steps on every micro batch and ranks diverge": (
            shown("pf107_list_of_optimizers", EACH, ONE_ACCUMULATING),
            shown("pf107_list_of_optimizers", DIVERGE, TWO_ACCUMULATING),
        ),
        "nothing in it is prepared": EXPLAINS,
        "on several processes every rank sees all the data": (shown("pf107_iterator", ALL_DATA, *SEVERAL, FSDP2),),
    },
    "PF108": {
        "a loader from `_` is sharded again, on two processes half of the samples are never used": (
            shown("pf108_loader_twice", HALF, *SEVERAL, FSDP2),
        ),
        "on two processes the schedule advances four times per step instead of twice": (
            shown("pf108_scheduler_twice", FAST, *SEVERAL, FSDP2),
        ),
        "the results stay the same, but under DDP save_state writes a model more than once; before accelerate 1.14 it "
        "does so on one process too, and DDP wraps the model again": (
            shown("pf108_model_and_optimizer_twice", RIGHT, ONE, ONE_ACCUMULATING, FSDP2),
            shown("pf108_model_and_optimizer_twice", "right parameters", *SEVERAL),
            shown("pf108_model_and_optimizer_twice", TWICE, *SEVERAL),
            shown("pf108_model_and_optimizer_twice", TWICE, *ALWAYS[:4], older=True),
            shown("pf108_model_and_optimizer_twice", "the wrapper is wrapped again", *SEVERAL, older=True),
        ),
    },
    "PF109": {
        "on several processes nothing is synchronised, and every rank trains on all the data": (
            shown("pf109_nothing_prepared", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf109_nothing_prepared_and_shuffled", DIVERGE, *SEVERAL),
        ),
    },
    "PF110": {
        "a prepared scheduler advances once per process and step, so on several processes the schedule runs that many "
        "times too fast": (
            shown("pf110_halved_each_epoch", FAST, *SEVERAL, FSDP2),
            shown("pf110_patience_of_a_plateau", FAST, *SEVERAL, FSDP2),
        ),
    },
    "PF111": {
        "a prepared scheduler advances once per process and step, so on several processes the schedule runs that many "
        "times too fast": (shown("pf111_length_of_the_prepared_loader", FAST, *SEVERAL, FSDP2),),
    },
    "PF201": {
        "": EXPLAINS,
        "in every mode the script stops with a TypeError or AttributeError where one is used as the other": (
            shown("pf201_roles_exchanged", "TypeError", *ALWAYS),
            shown("pf201_optimizer_and_loader_exchanged", "TypeError", *ALWAYS),
            shown("pf201_optimizer_and_scheduler_exchanged", "AttributeError", *ALWAYS),
        ),
        "in every mode each loop walks the data of the other, without a message": (
            shown("pf201_two_loaders_exchanged", "wrong parameters", *ALWAYS),
        ),
        "on one process and under DDP each is called in place of the other, without a message: an optimizer of one of "
        "them trains nothing": (shown("pf201_two_models_exchanged", "no training", *ALWAYS[:4]),),
    },
    "PF202": {
        "": EXPLAINS,
        "a Sequential or a DataLoader would be unpacked into its children or batches": (
            shown("pf202_children_of_a_sequential", RIGHT, ONE),
        ),
    },
    "PF203": {
        "with accumulation the optimizer steps on every micro batch, on several processes every rank sees all the data "
        "and gradients are not averaged": (
            shown("pf203_result_discarded", EACH, ONE_ACCUMULATING),
            shown("pf203_result_discarded", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf203_discarded_with_a_shuffled_loader", DIVERGE, *SEVERAL),
        ),
    },
    "PF204": {
        "`_` fails": (
            shown("pf204_one_name", "TypeError", *ALWAYS),
            shown("pf204_trained_as_a_model", "AttributeError", *ALWAYS),
        ),
        "walking it batch by batch fails": (shown("pf204_walked", "TypeError", *ALWAYS),),
    },
    "PF301": {
        "on several processes its gradients are not averaged and the ranks diverge": (
            shown("pf301_stale_model", DIVERGE, *SEVERAL),
        ),
        "the results are the same, the gradients are exchanged on every micro batch for nothing": (
            shown("pf301_stale_model_to_accumulate", RIGHT, *ALWAYS),
            Told("accelerate 1.15.0, accelerator.py, lines 1174 to 1180"),
        ),
        "with gradient accumulation it acts on every micro batch instead of once per update": (
            shown("pf301_stale_optimizer", EACH, ONE_ACCUMULATING),
            shown("pf301_stale_zero_grad", LAST, *ACCUMULATING),
        ),
        "on several processes every rank sees all the data": (shown("pf301_stale_loader", ALL_DATA, *SEVERAL, FSDP2),),
        "with gradient accumulation or several processes the learning rate follows another schedule": (
            shown("pf301_stale_scheduler", OTHER_RATE, ONE_ACCUMULATING, *SEVERAL),
        ),
    },
    "PF302": {
        "with gradient accumulation it steps on every micro batch and ranks diverge, with fp16 gradients are never "
        "unscaled": (
            shown("pf302_optimizer_built_again", EACH, ONE_ACCUMULATING),
            shown("pf302_optimizer_built_again", DIVERGE, TWO_ACCUMULATING),
            shown("pf302_optimizer_built_again", "parameters explode", SCALER),
        ),
        "on several processes every rank trains on all the data": (
            shown("pf302_loader_built_again", ALL_DATA, *SEVERAL, FSDP2),
        ),
    },
    "PF303": {
        "on several processes its gradients are not averaged and the ranks diverge; one process is right": (
            shown("pf303_unwrapped_in_the_loop", DIVERGE, *SEVERAL),
            shown("pf303_unwrapped_in_the_loop", RIGHT, ONE, ONE_ACCUMULATING),
        ),
        "on several processes its gradients are not averaged and the ranks diverge; one process has no `_`": (
            shown("pf303_unwrapped_in_the_loop", DIVERGE, *SEVERAL),
            shown("pf502_module_of_the_wrapper", "AttributeError", ONE, ONE_ACCUMULATING),
        ),
    },
    "PF304": {"on two processes the ranks diverge": (shown("pf304_part_prepared", DIVERGE, *SEVERAL),)},
    "PF305": {
        "under DDP the training stops with a RuntimeError in the second iteration": (
            shown("pf305_frozen_after_the_call", "RuntimeError", *SEVERAL),
        ),
        "the new layer is not among the parameters that the optimizer was built from, and never trains": (
            shown("pf305_layer_replaced", "no training", *ALWAYS),
        ),
        "under DDP the keys of the prepared model begin with `_` and do not match": (
            shown("pf305_weights_loaded", "RuntimeError", *SEVERAL),
        ),
    },
    "PF401": {
        "with gradient accumulation the loss is not divided by the number of micro batches, with fp16 it is not scaled "
        "and the step fails": (
            shown("pf401_plain_backward", "gradients 2 times too big", *ACCUMULATING),
            shown("pf401_plain_backward", "AssertionError", SCALER),
        ),
        "with fp16 the loss is not scaled and the step fails; without, the division by hand makes up for it": (
            shown("pf401_divided_by_hand", "AssertionError", SCALER),
            shown("pf401_divided_by_hand", RIGHT, *ALWAYS),
        ),
    },
    "PF402": {
        # A bound of 0.5 is nothing once it is divided by the scale.
        "with fp16 they are still scaled there": (shown("pf402_clipping_values", "no training", SCALER),),
        "with fp16 they are still scaled there, under FSDP1 the norm is that of one shard": (
            shown("pf402_plain_clipping", "no training", SCALER),
            shown("pf402_clipping_flat_parameters", "wrong parameters", FSDP1),
        ),
    },
    "PF403": {
        "`_` steps on every micro batch on line _": (shown("pf403_plain_backward", EACH, *ACCUMULATING),),
        "the loss is divided by the count on line _, and `_` steps on every micro batch on line _": (
            shown("pf403_no_accumulate", EACH, *ACCUMULATING),
        ),
        "the results are the same, the gradients that are not named are exchanged on every micro batch for nothing": (
            shown("pf403_second_model_not_named", RIGHT, *ALWAYS[:4]),
            Told("accelerate 1.15.0, accelerator.py, lines 1230 to 1240"),
        ),
    },
    "PF404": {
        "with gradient accumulation it throws away, on the last micro batch of each group, what the others have "
        "gathered": (shown("pf404_zero_grad_first", LAST, *ACCUMULATING),),
        "once it is prepared, with gradient accumulation it throws away, on the last micro batch of each group, what "
        "the others have gathered": (shown("pf404_zero_grad_first", LAST, *ACCUMULATING),),
        "with gradient accumulation it throws away what the micro batches before have gathered": (
            shown("pf404_model_zeroes_first", LAST, *ACCUMULATING),
            shown("pf404_model_zeroes_behind_the_step", LAST, *ACCUMULATING),
        ),
    },
    "PF405": {
        "with accumulation the gradients are that many times too small": (
            shown("pf405_divided_by_hand", "gradients 2 times too small", *ACCUMULATING),
        ),
    },
    "PF406": {
        "with gradient accumulation they are clipped before they are complete": (
            shown("pf406_clips_every_micro_batch", "clips on every micro batch", ONE_ACCUMULATING),
        ),
    },
    "PF501": {
        "under DDP that is a wrapper, which the pipeline refuses with a ValueError; one process works": (
            Told("diffusers 0.40, pipeline_loading_utils.py, lines 381 to 388"),
        ),
        "under DDP that is a wrapper without such an attribute, an AttributeError on several processes; one process "
        "works": (
            shown("pf501_unit_of_the_model", "AttributeError", *SEVERAL),
            shown("pf501_unit_of_the_model", RIGHT, ONE, ONE_ACCUMULATING),
        ),
    },
    "PF502": {
        "on one process, and under FSDP2, this is an AttributeError": (
            shown("pf502_module_of_the_wrapper", "AttributeError", ONE, ONE_ACCUMULATING, FSDP2),
        ),
    },
    "PF503": {
        "under DDP its keys begin with `_`, and the bare model does not load them": (
            shown("pf503_state_dict_of_the_wrapper", "the keys begin with `module.`", *SEVERAL),
            shown("pf305_weights_loaded", "RuntimeError", *SEVERAL),
        ),
        "under DDP that has no `_`, an AttributeError on several processes; one process works": (
            shown("pf503_save_pretrained", "AttributeError", *SEVERAL),
            shown("pf503_save_pretrained", RIGHT, ONE, ONE_ACCUMULATING),
        ),
    },
    "PF601": {
        "it has nothing to load into and raises nothing, training starts from fresh weights": (
            shown("pf601_loaded_too_early", "the result of one epoch", *ALWAYS),
        ),
    },
    "PF602": {
        "on two processes the run hangs": (
            shown("pf602_gather_on_one_process", "hangs", TWO),
            shown("pf602_state_saved_by_one_process", "hangs", TWO),
        ),
    },
}
