"""Scripts that run: asked for with ``pytest -m runtime``, in an environment that has torch and accelerate."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from catalogue import PAIRS
from measuring import Measured, measure

HERE = Path(__file__).parent


def reason_to_skip(markers: str) -> str:
    if "runtime" not in markers:
        return "runs training scripts: ask for it with -m runtime"
    missing = [name for name in ("torch", "accelerate") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reason = reason_to_skip(str(config.option.markexpr))
    for item in items:
        if reason and item.get_closest_marker("runtime") is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """All pairs, run once for all tests."""
    yield measure(PAIRS, tmp_path_factory.mktemp("measured"))
