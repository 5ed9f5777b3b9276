"""What a script imports from other files of its project is followed, and told of in the script alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from prepare_fix import Settings, check_source
from prepare_fix.findings import Applicability, FileResult
from prepare_fix.pipeline import check_document, do_file, fix_document

PROJECT = Path(__file__).parent / "project"

SCRIPT = """\
from accelerate import Accelerator
from lib.build import make_model, make_optimizer, prepare_all, train_one_epoch
from torch.utils.data import DataLoader


def main(dataset):
    accelerator = Accelerator()
    model = make_model(3)
    optimizer = make_optimizer(model)
    loader = DataLoader(dataset)
    {prepare}
    for _ in range(3):
        train_one_epoch(model, loader, optimizer, accelerator)
"""


def check(folder: Path, prepare: str, name: str = "train.py") -> FileResult:
    target = folder / name
    (folder / "lib").symlink_to(PROJECT / "lib")
    (folder / "pyproject.toml").touch()
    target.write_text(SCRIPT.format(prepare=prepare), encoding="utf-8")
    return do_file(str(target), Settings(), check_document)


def test_an_imported_optimizer_that_an_imported_loop_steps(tmp_path: Path) -> None:
    result = check(tmp_path, "model, loader = accelerator.prepare(model, loader)")
    assert [finding.rule for finding in result.findings] == ["PF101"]
    fixed = do_file(str(tmp_path / "train.py"), Settings(), fix_document)
    assert fixed.after is not None
    assert b"model, optimizer, loader = accelerator.prepare(model, optimizer, loader)" in fixed.after


def test_a_stale_model_handed_to_an_imported_loop(tmp_path: Path) -> None:
    prepare = "wrapped, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n    wrapped.train()"
    result = check(tmp_path, prepare)
    (finding,) = result.findings
    assert finding.rule == "PF301"
    assert result.source is not None
    assert result.source.slice(finding.span) == "model"
    fixed = do_file(str(tmp_path / "train.py"), Settings(), fix_document)
    assert fixed.after is not None
    assert b"train_one_epoch(wrapped, loader, optimizer, accelerator)" in fixed.after


def test_an_imported_helper_prepares(tmp_path: Path) -> None:
    prepare = "model, optimizer, loader = prepare_all(accelerator, model, optimizer, loader)"
    assert check(tmp_path, f"{prepare}\n    _ = accelerator.prepare(make_model(1))").findings == ()


def test_without_the_other_file_nothing_is_known() -> None:
    assert check_source(SCRIPT.format(prepare="model, loader = accelerator.prepare(model, loader)")) == []


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "one.py").write_text(
        "from accelerate import Accelerator\nfrom two import g\n\n\ndef f(x):\n    return g(x)\n\n\n"
        "model = f(Accelerator().prepare(1))\n",
        encoding="utf-8",
    )
    (tmp_path / "two.py").write_text(
        "from one import f  # accelerate\n\n\ndef g(x):\n    return f(x)\n", encoding="utf-8"
    )
    result = do_file(str(tmp_path / "one.py"), Settings(), check_document)
    assert result.error is None


def test_a_module_that_does_not_parse_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "broken.py").write_text("def make(: accelerate\n", encoding="utf-8")
    (tmp_path / "train.py").write_text(
        "from accelerate import Accelerator\nfrom broken import make\n\nmodel = Accelerator().prepare(make())\n",
        encoding="utf-8",
    )
    result = do_file(str(tmp_path / "train.py"), Settings(), check_document)
    assert result.error is None
    assert result.findings == ()


DIVIDING = """\
from accelerate import Accelerator
from torch.optim import AdamW
from . import losses


def train(model, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    optimizer = AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            {loss}
            {backward}
            optimizer.step()
            optimizer.zero_grad()
"""


def check_dividing(folder: Path, loss: str, backward: str) -> FileResult:
    (folder / "pyproject.toml").touch()
    (folder / "losses.py").write_text(
        "# What accelerate's loop goes backward with.\ndef mean(loss):\n    return loss / 7\n", encoding="utf-8"
    )
    (folder / "train.py").write_text(DIVIDING.format(loss=loss, backward=backward), encoding="utf-8")
    return do_file(str(folder / "train.py"), Settings(unsafe_fixes=True), check_document)


@pytest.mark.parametrize(
    "loss", ["loss = losses.mean(accum_loss(model(batch)))", "loss = losses.mean(loss=model(batch))"]
)
def test_nobody_knows_by_what_an_imported_function_divides(tmp_path: Path, loss: str) -> None:
    assert check_dividing(tmp_path, loss, "accelerator.backward(loss)").findings == ()


def test_a_loss_that_an_imported_function_divides_goes_backward_alone(tmp_path: Path) -> None:
    (finding,) = check_dividing(tmp_path, "loss = losses.mean(model(batch))", "loss.backward()").findings
    assert finding.rule == "PF401"
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE


def test_what_another_file_hands_to_prepare_is_not_told_of(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "wrapping.py").write_text(
        "class Wrapped:\n    def __init__(self, accelerator, tokenizer):\n"
        "        self.tokenizer = accelerator.prepare(tokenizer)\n",
        encoding="utf-8",
    )
    lines = [
        "from accelerate import Accelerator",
        "from transformers import AutoModelForCausalLM, AutoTokenizer",
        "from wrapping import Wrapped",
        "accelerator = Accelerator()",
        "model = accelerator.prepare(AutoModelForCausalLM.from_pretrained('gpt2'))",
        "reference = Wrapped(accelerator, AutoTokenizer.from_pretrained('gpt2'))",
    ]
    (tmp_path / "train.py").write_text("\n".join(lines), encoding="utf-8")
    assert do_file(str(tmp_path / "train.py"), Settings(), check_document).findings == ()


def test_a_part_that_another_file_uses_is_named_by_the_whole(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "inputs.py").write_text(
        "# What accelerate's loop begins with.\ndef draw(model, maker):\n    return maker(model.config.width)\n",
        encoding="utf-8",
    )
    lines = [
        "import inputs",
        "from accelerate import Accelerator",
        "from elsewhere import make",
        "from transformers import AutoModelForCausalLM",
        "accelerator = Accelerator()",
        "model = accelerator.prepare(AutoModelForCausalLM.from_pretrained('gpt2'))",
        "ids = inputs.draw(model, make)",
        "loss = model(ids).loss",
        "loss.backward()",
    ]
    (tmp_path / "train.py").write_text("\n".join(lines), encoding="utf-8")
    (finding,) = do_file(str(tmp_path / "train.py"), Settings(), check_document).findings
    assert finding.message.startswith("`loss` is computed by the prepared `model`")
