"""A finding as people read it: at every width, with and without drawing characters and colours."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import pytest

from prepare_fix import check_source
from prepare_fix.commands.options import Run
from prepare_fix.commands.output import screen_of
from prepare_fix.configuration import read_configuration
from prepare_fix.findings import Finding
from prepare_fix.reporting.screen import DRAWN, Screen, columns
from prepare_fix.reporting.story import format_findings
from prepare_fix.sources.text import SourceText

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("pf*/*/before.py"))
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

STALE = """\
from accelerate import Accelerator
accelerator = Accelerator()
model = nn.Linear(2, 2)
optimizer = torch.optim.AdamW(model.parameters())
ddp_model, prepared_optimizer, prepared_loader = accelerator.prepare(model, optimizer, loader)
for x, y in prepared_loader:
    accelerator.backward(loss(model(x), y))
    prepared_optimizer.step()
    prepared_optimizer.zero_grad()
"""


@cache
def findings_in(text: str) -> tuple[Finding, ...]:
    return tuple(check_source(text))


def told(text: str, screen: Screen) -> str:
    return format_findings(SourceText(text), "train.py", findings_in(text), screen, allows_unsafe=False)


def test_a_story_in_80_columns() -> None:
    assert (
        told(STALE, Screen(can_draw=True))
        == """\
train.py:7:31: PF301 [*] the model `model` (created on line 3) is called for the
  loss on line 7, but prepare has replaced it on line 5 (by `ddp_model`)

  3 ○   model = nn.Linear(2, 2)                               `model` is created
  5 ┊●  ddp_model, prepared_optimizer, prepared_loader =
    ┊┃      accelerator.prepare(model, optimizer, loader)
    ┊┃  `model` is prepared, as `ddp_model`
  7 ○┃  accelerator.backward(loss(model(x), y))
                                  ^^^^^
        unprepared `model` is called for the loss

  effect: on several processes its gradients are not averaged and the ranks
    diverge
  fix (safe): Bind the results to the names that the script goes on with
    5 - ddp_model, prepared_optimizer, prepared_loader =
            accelerator.prepare(model, optimizer, loader)
      + model, prepared_optimizer, prepared_loader = accelerator.prepare(model,
            optimizer, loader)

"""
    )


def test_without_drawing_characters_all_is_ascii() -> None:
    plain = told(STALE, Screen())
    assert plain.isascii()
    assert "  5 :@  ddp_model" in plain
    assert "  7 o#  accelerator" in plain


def test_what_a_wide_screen_has_room_for_stands_on_one_line() -> None:
    assert (
        "  5 ┊●  ddp_model, prepared_optimizer, prepared_loader = accelerator.prepare(model, optimizer, loader)"
        "  `model` is prepared, as `ddp_model`\n"
    ) in told(STALE, Screen(160, can_draw=True))


def test_colours_change_nothing_else() -> None:
    coloured = told(STALE, Screen(is_coloured=True, can_draw=True))
    assert ESCAPES.sub("", coloured) == told(STALE, Screen(can_draw=True))
    lines = coloured.splitlines()
    raw, prepared = re.findall(r"((?:\x1b\[[0-9;]*m)+)[┊○┃●]", lines[4])
    assert raw != prepared


@pytest.mark.parametrize("path", CASES, ids=[f"{path.parent.parent.name}/{path.parent.name}" for path in CASES])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_screen(path: Path, width: int) -> None:
    told_here = told(path.read_bytes().decode("utf-8"), Screen(width, can_draw=True))
    # What can't be broken, such as a name in prose, may stand out.
    wide = [line for line in told_here.splitlines() if columns(line) > width and " " in line.strip()[4:]]
    assert [line for line in wide if max(map(len, line.split())) < width // 2] == []


def test_a_fix_of_several_findings_is_shown_once() -> None:
    text = STALE.replace("prepared_optimizer.", "optimizer.")
    page = told(text, Screen())
    assert page.count("  fix (safe): ") == 1
    assert page.count("  fix: the same as for line 7, above\n") == 1


def test_how_an_object_is_made_is_cut_and_how_it_is_prepared_is_not() -> None:
    text = STALE.replace("nn.Linear(2, 2)", "nn.Sequential(" + "nn.Linear(20, 20), " * 6 + ")")
    lines = told(text, Screen(can_draw=True)).splitlines()
    created = next(line for line in lines if line.startswith("  3 "))
    assert created.endswith("…  `model` is created")
    assert all(DRAWN.cut not in line for line in lines if line != created)


def test_a_call_with_comments_in_it_is_not_joined() -> None:
    text = STALE.replace("accelerator.prepare(model,", "accelerator.prepare(\n    model,  # the first\n   ")
    page = told(text, Screen(can_draw=True))
    assert "  5 ┊●  ddp_model, prepared_optimizer, prepared_loader = accelerator.prepare(…\n" in page
    assert "first" not in page


def test_a_call_on_many_lines_is_joined_as_if_written_on_one() -> None:
    text = STALE.replace(
        "accelerator.prepare(model, optimizer, loader)",
        "accelerator.prepare(\n    model,\n    optimizer,\n    loader,\n)",
    )
    assert "accelerator.prepare(model, optimizer, loader)\n" in told(text, Screen())


def test_what_would_change_the_terminal_is_shown_as_python_writes_it() -> None:
    text = STALE.replace("model(x)", "model(x, '\x1b[2J\u202e')")
    page = told(text, Screen())
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert r"loss(model(x, '\x1b[2J\u202e'), y)" in page


def test_a_long_repair_is_begun_and_counted() -> None:
    rest = "".join(f"        number = {n}\n" for n in range(20))
    text = f"""\
from accelerate import Accelerator
accelerator = Accelerator(gradient_accumulation_steps=4)
model = nn.Linear(2, 2)
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data))
for x, y in loader:
    output = model(x)
    if x:
{rest}    accelerator.backward(loss(output, y))
    optimizer.step()
    optimizer.zero_grad()
"""
    page = told(text, Screen())
    assert re.search(r"and \d+ more lines: see `prepare-fix diff`\n", page)
    assert len(page.splitlines()) < 45


def test_many_uses_are_not_all_shown() -> None:
    page = told(STALE.replace("    prepared_optimizer.step()\n", "    optimizer.step()\n" * 60), Screen())
    (left,) = re.findall(r"^  and used on lines (\d[\d, \n]*)$", page, re.MULTILINE)
    assert left.split()[-1] == "67"
    assert "\n   8 o#  optimizer.step()" in page


class Stream(io.StringIO):
    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


@pytest.mark.parametrize(
    ("encoding", "variables", "can_draw"),
    [
        ("utf-8", {}, True),
        ("cp437", {}, False),
        ("latin-1", {}, False),
        ("no such encoding", {}, False),
        ("utf-8", {"LC_ALL": "C"}, False),
        ("utf-8", {"LC_ALL": "POSIX"}, False),
        ("utf-8", {"LC_ALL": "C.UTF-8"}, True),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
    ],
)
def test_drawing_characters_only_where_they_come_through(
    encoding: str, variables: dict[str, str], can_draw: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "20")
    run = Run((), read_configuration(None, True, {}), {})
    assert screen_of(run, Stream(encoding)) == Screen(60, False, can_draw)
