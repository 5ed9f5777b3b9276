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
    and ``fixed`` is false where the rule has no fix.
    """

    name: str
    course: Course = field(default_factory=Course)
    also: tuple[Mode, ...] = ()
    facts: dict[str, tuple[object, str]] = field(default_factory=dict)
    unmended: dict[Mode, str] = field(default_factory=dict)
    harmless: bool = False
    fixed: bool = True

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
        return (*USUAL, *self.also)


SAVES: dict[str, tuple[object, str]] = {"optimizer saved": (True, "save_state writes no optimizer")}
CLIPPED = Course(clip=0.5)
PAIRS = (
    Pair("pf101_model_alone", also=(SCALER,), facts=SAVES),
    Pair("pf101_optimizer_made_after_the_call"),
    Pair("pf102_optimizer_alone"),
    Pair("pf105_two_calls", also=(FSDP1,), unmended={FSDP1: "no training"}),
    Pair("pf105_model_prepared_first", also=(FSDP1,), unmended={FSDP1: "no training"}),
    Pair("pf201_roles_exchanged"),
    Pair("pf202_target_forgotten"),
    Pair("pf203_result_discarded"),
    Pair("pf204_one_name"),
    Pair("pf301_stale_model"),
    Pair("pf301_stale_model_to_accumulate", harmless=True),
    Pair("pf301_stale_optimizer"),
    Pair("pf301_stale_zero_grad"),
    Pair("pf301_stale_loader"),
    Pair("pf401_plain_backward", also=(SCALER,)),
    Pair("pf402_plain_clipping", CLIPPED, also=(SCALER,)),
    Pair("pf402_clipping_flat_parameters", CLIPPED, also=(FSDP1,), unmended={FSDP2: "ValueError"}),
)
