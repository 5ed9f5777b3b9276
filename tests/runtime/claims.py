"""What the rules' pages say under "Why it matters", sentence by sentence, and what shows it.

A sentence is shown by cells of ``docs/measured.md``, or was read in the source named, or explains another sentence.
``test_claims.py`` holds both ends: a sentence that is not here, or a cell that says something else, fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from worlds import FSDP1, FSDP2, ONE, ONE_ACCUMULATING, SCALER, TWO, TWO_ACCUMULATING, Mode


@dataclass(frozen=True)
class Shown:
    """The script ``pair`` as it was found came to ``words`` in ``modes``, maybe among other things.

    ``older`` says that it did so with the older release.
    """

    pair: str
    words: str
    modes: tuple[Mode, ...]
    older: bool = False


@dataclass(frozen=True)
class Told:
    """Nothing to measure: it says how another sentence comes about, or was read in ``source``."""

    source: str = "explains the sentence next to it"


Evidence = tuple[Shown | Told, ...]


def shown(pair: str, words: str, *modes: Mode, older: bool = False) -> Shown:
    return Shown(pair, words, modes, older)


RIGHT, EACH, DIVERGE = "right", "steps on every micro batch", "ranks diverge"
ALL_DATA, HALF = "every rank sees all the data", "8 of 16 samples are never used"
TWICE = "save_state writes the model more than once"
OTHER_RATE = "the scheduler steps once with every micro batch"
ALWAYS = (ONE, ONE_ACCUMULATING, TWO, TWO_ACCUMULATING, FSDP2)
BOTH, ACCUMULATING, SEVERAL = (ONE, TWO), (ONE_ACCUMULATING, TWO_ACCUMULATING), (TWO, TWO_ACCUMULATING)
EXPLAINS: Evidence = (Told(),)

CLAIMS: dict[str, dict[str, Evidence]] = {
    "PF101": {
        "On one process, in full precision and without gradient accumulation, the script trains rightly.": (
            shown("pf101_model_alone", "right parameters", ONE),
            shown("pf101_optimizer_made_after_the_call", RIGHT, ONE),
        ),
        "With accumulation the raw optimizer steps on every micro batch: wrong parameters on one process, and on two "
        "the ranks diverge.": (
            shown("pf101_model_alone", EACH, ONE_ACCUMULATING),
            shown("pf101_model_alone", DIVERGE, TWO_ACCUMULATING),
        ),
        "Under FSDP2 ``prepare`` raises a ValueError.": (shown("pf101_model_alone", "ValueError", FSDP2),),
        "With fp16 the scaled gradients are never unscaled (NaN, measured with an emulated scaler).": (
            shown("pf101_model_alone", "parameters are NaN", SCALER),
        ),
        "In every mode ``save_state`` writes no optimizer file.": (
            # Under FSDP2 nothing gets that far.
            shown("pf101_model_alone", "save_state writes no optimizer", *ALWAYS[:4], SCALER),
        ),
    },
    "PF102": {
        "On one process the script trains rightly.": (shown("pf102_optimizer_alone", RIGHT, ONE, ONE_ACCUMULATING),),
        "On two processes nobody averages the gradients: the ranks diverge from the first step, without a message.": (
            shown("pf102_optimizer_alone", DIVERGE, *SEVERAL),
        ),
        "Under FSDP2 ``prepare`` raises a ValueError.": (shown("pf102_optimizer_alone", "ValueError", FSDP2),),
    },
    "PF103": {
        "On two processes every rank trains on all the data: twice the work for the result of one process.": (
            shown("pf103_loader_never_prepared", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf103_loader_never_prepared", "the result of one process", *SEVERAL, FSDP2),
        ),
        "With gradient accumulation and an odd number of batches the last window never steps, also on one process.": (
            shown("pf103_odd_number_of_batches", "the last window never steps", ONE_ACCUMULATING),
        ),
        "An evaluation that gathers gets each sample twice.": (
            shown("pf103_evaluation_gathers", "each sample is gathered once from each rank", *SEVERAL, FSDP2),
        ),
    },
    "PF104": {
        "A prepared scheduler waits for the optimizer when gradients are accumulated, and advances once per process "
        "and step.": EXPLAINS,
        "A raw one with accumulation 2 runs through its schedule twice as fast; on two processes, with the length of "
        "the raw loader, it only gets half way.": (
            shown("pf104_length_of_the_raw_loader", OTHER_RATE, ONE_ACCUMULATING, *SEVERAL),
            shown("pf104_length_of_the_raw_loader", "the rate ends at 0.05 instead of 0", TWO),
        ),
    },
    "PF105": {
        "On one process and under DDP two calls give the same numbers as one.": (
            shown("pf105_two_calls", RIGHT, *ALWAYS[:4]),
        ),
        "Under FSDP2 ``prepare`` raises a ValueError: it has to exchange the optimizer's parameters when it shards the "
        "model.": (shown("pf105_two_calls", "ValueError", FSDP2),),
        "DeepSpeed wants a DataLoader in the same call as well.": (
            Told("accelerate 1.15.0, accelerator.py, line 2198"),
        ),
        "An older recipe for FSDP1 prepares the model first and builds the optimizer from the result; there it is "
        "right.": (
            shown("pf105_model_prepared_first", RIGHT, FSDP1),
            shown("pf105_two_calls", "no training", FSDP1),
        ),
    },
    "PF106": {
        "On two processes each rank sees a quarter of the samples, and half of them are never used.": (
            shown("pf106_sampler_of_its_own", HALF, *SEVERAL, FSDP2),
        ),
        "There is no message.": EXPLAINS,
    },
    "PF107": {
        "``prepare`` wraps models, optimizers, DataLoaders and schedulers and returns everything else as it came, "
        "without a message.": EXPLAINS,
        "The objects in a list are not registered, and the ranks train alone; optimizers in a list step on every micro "
        "batch.": (
            shown("pf107_list", ALL_DATA, *SEVERAL),
            shown("pf107_list_with_a_shuffled_loader", DIVERGE, *SEVERAL),
            shown("pf107_list_of_optimizers", EACH, ONE_ACCUMULATING),
        ),
        "An iterator goes on with the raw loader: every rank sees all the data.": (
            shown("pf107_iterator", ALL_DATA, *SEVERAL, FSDP2),
        ),
    },
    "PF108": {
        "A loader that ``prepare_data_loader`` returned is sharded again: on two processes half of the samples are "
        "never used.": (shown("pf108_loader_twice", HALF, *SEVERAL, FSDP2),),
        "A scheduler that goes through ``prepare_scheduler`` twice runs at a multiple of its rate.": (
            shown("pf108_scheduler_twice", "the schedule runs 2 times too fast", *SEVERAL, FSDP2),
        ),
        "All else trains to the same result, but under DDP ``save_state`` writes a model more than once.": (
            shown("pf108_model_and_optimizer_twice", RIGHT, ONE, ONE_ACCUMULATING, FSDP2),
            shown("pf108_model_and_optimizer_twice", "right parameters", *SEVERAL),
            shown("pf108_model_and_optimizer_twice", TWICE, *SEVERAL),
            shown("pf108_prepared_in_each_epoch", RIGHT, ONE, ONE_ACCUMULATING, FSDP2),
            shown("pf108_prepared_in_each_epoch", "right parameters", *SEVERAL),
        ),
        "Before accelerate 1.14 it does so on one process too, and the wrapper is wrapped once more each time.": (
            shown("pf108_model_and_optimizer_twice", TWICE, *ALWAYS[:4], older=True),
            shown("pf108_model_and_optimizer_twice", "the wrapper is wrapped again", *SEVERAL, older=True),
            shown("pf108_model_and_optimizer_twice", "right parameters", *ALWAYS[:4], older=True),
            Told(
                "accelerate 1.13.0 and 1.14.0, accelerator.py, prepare_model: the later one looks at what is prepared"
            ),
        ),
    },
    "PF109": {
        "Nothing connects the objects to the accelerator.": EXPLAINS,
        "On two processes nothing is synchronised: each one trains a model of its own, on all the data.": (
            shown("pf109_nothing_prepared", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf109_nothing_prepared_and_shuffled", DIVERGE, *SEVERAL, FSDP2),
        ),
    },
    "PF110": {
        "A prepared scheduler advances once per process and step, because it expects to be stepped with batches that "
        "are shared out.": EXPLAINS,
        "On one process that is right; on two, 3 epochs make 6 steps, and a plateau scheduler uses up its patience "
        "twice as fast.": (
            shown("pf110_halved_each_epoch", RIGHT, ONE, ONE_ACCUMULATING),
            # Six halvings instead of three.
            shown("pf110_halved_each_epoch", "the rate ends at 0.001563 instead of 0.0125", *SEVERAL, FSDP2),
            shown("pf110_patience_of_a_plateau", "the schedule runs 2 times too fast", *SEVERAL, FSDP2),
        ),
    },
    "PF111": {
        "A prepared loader is as long as one process's share of the data, and a prepared scheduler advances once per "
        "process and step.": EXPLAINS,
        "On one process that comes to the same; on two the schedule runs twice as fast as it should, and is at its end "
        "half way through the training.": (
            shown("pf111_length_of_the_prepared_loader", RIGHT, ONE, ONE_ACCUMULATING),
            shown("pf111_length_of_the_prepared_loader", "the schedule runs 2 times too fast", *SEVERAL, FSDP2),
        ),
    },
    "PF201": {
        "``prepare`` returns its results in the order of the arguments and never looks at names.": EXPLAINS,
        "With roles swapped the script dies with a TypeError or AttributeError at the first step, in every mode.": (
            shown("pf201_roles_exchanged", "TypeError", *ALWAYS),
            shown("pf201_optimizer_and_scheduler_exchanged", "AttributeError", *ALWAYS),
        ),
        "With two loaders swapped it trains on the wrong data, with two models of one class it trains nothing, without "
        "a message.": (
            shown("pf201_two_loaders_exchanged", "wrong parameters", *ALWAYS),
            # FSDP2 takes one model in a call.
            shown("pf201_two_models_exchanged", "no training", *ALWAYS[:4]),
        ),
    },
    "PF202": {
        "The script fails at the call with a ValueError or TypeError, in every mode.": (
            shown("pf202_target_forgotten", "ValueError", *ALWAYS),
            shown("pf202_one_object_two_targets", "TypeError", *ALWAYS[:4]),
            shown("pf202_one_object_two_targets", "ValueError", FSDP2),
        ),
        "One object comes back bare, not as a tuple: ``a, b = accelerator.prepare(model)`` with a Sequential, "
        "ModuleList or DataLoader of two unpacks its children or batches, without a message.": (
            shown("pf202_children_of_a_sequential", RIGHT, ONE, ONE_ACCUMULATING),
            shown("pf202_children_of_a_sequential", "TypeError", *SEVERAL),
        ),
    },
    "PF203": {
        "``prepare`` wraps, it does not change its arguments (one process keeps the model object, never the optimizer, "
        "loader or scheduler).": EXPLAINS,
        "On one process the script is right by luck; with accumulation the raw optimizer steps on every micro batch; "
        "on two processes every rank sees all the data and the gradients of the raw model are not averaged.": (
            shown("pf203_result_discarded", RIGHT, ONE),
            shown("pf203_result_discarded", EACH, ONE_ACCUMULATING),
            shown("pf203_result_discarded", ALL_DATA, *SEVERAL, FSDP2),
            shown("pf203_discarded_with_a_shuffled_loader", DIVERGE, *SEVERAL),
        ),
    },
    "PF204": {
        "Several objects come back as a tuple: the first use fails with a TypeError or AttributeError, in every "
        "mode.": (
            shown("pf204_one_name", "TypeError", *ALWAYS),
            shown("pf204_trained_as_a_model", "AttributeError", *ALWAYS),
        ),
    },
}
