"""The pairs that are run, with what is particular about each: everything else is the rule, see ``Pair``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from oracle import Course
from worlds import FSDP1, FSDP2, ONE, ONE_ACCUMULATING, SCALER, TWO, TWO_ACCUMULATING, Mode

CASES = Path(__file__).parent / "cases"
USUAL = (ONE, ONE_ACCUMULATING, TWO, TWO_ACCUMULATING, FSDP2)


@dataclass(frozen=True)
class Pair:
    """``cases/<name>.py`` as it stands, and what ``fix`` makes of it.

    Unless it says otherwise a script trains for one epoch at one rate, its fault shows in one of the usual modes, and
    the repaired script comes to what the oracle says in all of them. ``facts`` are things that a script reports beside
    its parameters, each with what is right and the words for anything else. ``unmended`` are modes in which the
    repaired script differs from the oracle, with the words of the table; ``harmless`` says that no mode shows a fault,
    and ``fixed`` is false where the rule has no fix. ``only`` are the modes to run where not all are worth their time.
    """

    name: str
    course: Course = field(default_factory=Course)
    also: tuple[Mode, ...] = ()
    facts: dict[str, tuple[object, str]] = field(default_factory=dict)
    unmended: dict[Mode, str] = field(default_factory=dict)
    harmless: bool = False
    fixed: bool = True
    only: tuple[Mode, ...] = ()

    @property
    def rule(self) -> str:
        return self.name.partition("_")[0].upper()

    @property
    def path(self) -> Path:
        return CASES / f"{self.name}.py"

    @property
    def title(self) -> str:
        """The first line of the script says what is wrong with it."""
        return self.path.read_text(encoding="utf-8").partition("\n")[0].strip('"')

    @property
    def modes(self) -> tuple[Mode, ...]:
        return self.only or (*USUAL, *self.also)


SAVES: dict[str, tuple[object, str]] = {"optimizer saved": (True, "save_state writes no optimizer")}
ONE_MODEL: dict[str, tuple[object, str]] = {
    "models saved": (1, "save_state writes the model more than once"),
    "wrapped again": (False, "the wrapper is wrapped again"),
}
CLIPPED = Course(clip=0.5)
BOUNDED = Course(bound=0.5)
LINEAR = Course(schedule="linear")
SHUFFLED = Course(shuffled=True)
CLEAN_KEYS = (["layer.bias", "layer.weight"], "the keys begin with `module.`")
# FSDP2 takes one model in a call.
ONE_MODEL_ONLY = {FSDP2: "ValueError"}

PAIRS = (
    Pair("pf101_model_alone", Course(epochs=2), also=(SCALER,), facts=SAVES),
    Pair("pf101_optimizer_made_after_the_call"),
    Pair("pf101_other_statements_in_between"),
    Pair("pf102_optimizer_alone"),
    Pair("pf102_state_dict_is_read"),
    Pair("pf103_loader_never_prepared"),
    Pair("pf103_evaluation_gathers", facts={"gathered": (8, "each sample is gathered once from each rank")}),
    Pair("pf103_odd_number_of_batches", Course(samples=14)),
    Pair("pf104_length_of_the_raw_loader", LINEAR),
    Pair("pf105_two_calls", also=(FSDP1,), unmended={FSDP1: "no training"}),
    Pair("pf105_model_prepared_first", also=(FSDP1,), unmended={FSDP1: "no training"}),
    Pair("pf106_sampler_of_its_own"),
    Pair("pf107_list"),
    Pair("pf107_list_with_a_shuffled_loader", SHUFFLED),
    Pair("pf107_list_of_optimizers", fixed=False),
    Pair("pf107_iterator"),
    Pair("pf108_loader_twice"),
    Pair("pf108_scheduler_twice", LINEAR),
    Pair("pf108_model_and_optimizer_twice", facts=ONE_MODEL),
    Pair("pf108_prepared_in_each_epoch", Course(epochs=3), facts=ONE_MODEL),
    Pair("pf109_nothing_prepared"),
    Pair("pf109_nothing_prepared_and_shuffled", SHUFFLED),
    Pair("pf110_halved_each_epoch", Course(epochs=3, schedule="halving")),
    Pair("pf110_patience_of_a_plateau", Course(epochs=4, schedule="plateau")),
    Pair("pf111_length_of_the_prepared_loader", LINEAR, fixed=False),
    Pair("pf201_roles_exchanged"),
    Pair("pf201_optimizer_and_loader_exchanged"),
    Pair("pf201_optimizer_and_scheduler_exchanged", LINEAR),
    Pair("pf201_two_loaders_exchanged", fixed=False),
    Pair("pf201_two_models_exchanged", fixed=False),
    Pair("pf202_target_forgotten"),
    Pair("pf202_one_object_two_targets"),
    Pair("pf202_children_of_a_sequential", fixed=False),
    Pair("pf203_result_discarded"),
    Pair("pf203_discarded_with_a_shuffled_loader", SHUFFLED),
    Pair("pf203_discarded_with_a_scheduler", LINEAR),
    Pair("pf204_one_name"),
    Pair("pf204_trained_as_a_model"),
    Pair("pf204_walked"),
    Pair("pf301_stale_model"),
    Pair("pf301_stale_model_to_accumulate", harmless=True),
    Pair("pf301_stale_optimizer"),
    Pair("pf301_stale_zero_grad"),
    Pair("pf301_stale_loader"),
    Pair("pf301_stale_scheduler", LINEAR),
    Pair("pf301_iterator_taken_too_early"),
    Pair("pf302_optimizer_built_again", also=(SCALER,)),
    Pair("pf302_loader_built_again"),
    Pair("pf303_unwrapped_in_the_loop"),
    Pair("pf304_part_prepared"),
    Pair("pf305_frozen_after_the_call", fixed=False),
    Pair("pf305_layer_replaced", fixed=False),
    Pair("pf305_weights_loaded", fixed=False),
    Pair("pf401_plain_backward", also=(SCALER,)),
    Pair("pf401_divided_by_hand", also=(SCALER,)),
    Pair("pf402_plain_clipping", CLIPPED, also=(SCALER,)),
    Pair("pf402_clipping_flat_parameters", CLIPPED, also=(FSDP1,), unmended={FSDP2: "ValueError"}),
    Pair("pf402_clipping_values", BOUNDED, also=(SCALER,), unmended={FSDP2: "Exception"}),
    Pair("pf403_no_accumulate"),
    Pair("pf403_plain_backward", fixed=False),
    Pair("pf403_second_model_not_named", unmended=ONE_MODEL_ONLY, harmless=True),
    Pair("pf404_zero_grad_first"),
    Pair("pf404_model_zeroes_first"),
    Pair("pf404_model_zeroes_behind_the_step"),
    Pair("pf405_divided_by_hand"),
    Pair("pf406_clips_every_micro_batch", CLIPPED),
    Pair("pf501_unit_of_the_model"),
    Pair("pf502_module_of_the_wrapper"),
    Pair("pf503_state_dict_of_the_wrapper", facts={"keys": CLEAN_KEYS}),
    Pair("pf503_save_pretrained"),
    Pair("pf601_loaded_too_early", Course(epochs=2)),
    Pair("pf602_gather_on_one_process", fixed=False, only=(ONE, TWO)),
    Pair("pf602_state_saved_by_one_process", fixed=False, only=(ONE, TWO)),
)
