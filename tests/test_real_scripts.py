"""Every file of the installed accelerate package is silent. Its files are read, never imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from prepare_fix import Settings, check_source, fix_source
from prepare_fix.sources.module import read_module
from prepare_fix.sources.text import SourceText

# What may be said all the same: (file, rule, the text of the line) and the reason why the finding is true.
EXPECTED: dict[tuple[str, str, str], str] = {
    # The loss of a prepared model goes backward around the accelerator. It does no harm there: the test asks how many
    # batches come through, takes no step, and runs in full precision without accumulation.
    ("test_utils/scripts/test_distributed_data_loop.py", "PF401", "loss.backward()"): "a loss of a prepared model",
    # Prepared once by the helper that creates the loader, and once more here; the test only pickles the accelerator.
    ("test_utils/scripts/test_distributed_data_loop.py", "PF108", "_ = accelerator.prepare(data_loader)"): "twice",
    # The older recipe for FSDP1: the model alone, the optimizer from the result, then both. Harmless, and no fix.
    (
        "test_utils/scripts/test_merge_weights.py",
        "PF108",
        "train_dl, model, optimizer = accelerator.prepare(train_dl, model, optimizer)",
    ): "the model comes prepared from another function",
}


def find_accelerate() -> Path | None:
    spec = importlib.util.find_spec("accelerate")
    return Path(spec.origin).parent if spec and spec.origin else None


PACKAGE = find_accelerate()
SCRIPTS = sorted(PACKAGE.rglob("*.py")) if PACKAGE else []


@pytest.mark.skipif(PACKAGE is None, reason="accelerate is not installed: pip install --no-deps accelerate")
def test_the_package_is_all_there() -> None:
    prepares = [path for path in SCRIPTS if "accelerator.prepare(" in path.read_text(encoding="utf-8")]
    assert len(prepares) >= 8, "the scripts of test_utils with their prepare calls are what this is about"


@pytest.mark.parametrize("path", SCRIPTS, ids=[str(path.relative_to(PACKAGE or path)) for path in SCRIPTS])
def test_script_is_silent(path: Path) -> None:
    assert PACKAGE is not None
    text = read_module(path.read_bytes(), str(path)).source.text
    source, name = SourceText(text), path.relative_to(PACKAGE).as_posix()
    told = {}
    for finding in check_source(text, path=str(path)):
        line = source.position(finding.span.start).line
        told[name, finding.rule, source.line(line).strip()] = f"{line}: {finding.rule} {finding.message}"
    expected = {key for key in EXPECTED if key[0] == name}
    assert [told[key] for key in told if key not in expected] == []
    assert expected <= set(told), "no longer found: take it out of the table"
    if not expected:
        assert fix_source(text, path=str(path), settings=Settings(unsafe_fixes=True)).text == text
