"""What all tests share: golden files, and how hard the property tests look."""

from __future__ import annotations

import difflib
import functools
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from program import program

if TYPE_CHECKING:
    from editor import Editor

__all__ = ["program"]

ON_CI = os.environ.get("CI", "") not in ("", "0", "false")

# CI must not fail by luck of the draw: there the examples are the same in every run, elsewhere new ones are tried.
# ``pytest --hypothesis-profile soak tests/test_properties.py`` looks for a long time.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("soak", settings.get_profile("default"), max_examples=3000)
settings.load_profile("ci" if ON_CI else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the findings.txt of golden cases that differ, and fail all the same: read the diff, run again",
    )

    parser.addoption("--fuzz-rounds", type=int, default=25, help="how many damaged scripts to try (tests/test_fuzz.py)")
    parser.addoption("--fuzz-seed", type=int, default=1 if ON_CI else 0, help="where to begin; 0 for anywhere")


def pytest_configure(config: pytest.Config) -> None:
    if ON_CI and config.getoption("--update-golden"):
        raise pytest.UsageError("--update-golden is refused where CI is set: expectations change by hand only")


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the journals of fixes made by tests out of the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def editor() -> Iterator[Editor]:
    """An editor whose server has the stand-ins of ``fakes``; each test opens texts of its own."""
    from editor import Editor

    with Editor() as started:
        yield started


@pytest.fixture(scope="session")
def real() -> Iterator[Editor]:
    """An editor with the server as it is."""
    from editor import REAL, Editor

    with Editor(REAL) as started:
        yield started


if "MUTANT_UNDER_TEST" in os.environ:  # mutmut is at work

    @pytest.fixture(scope="session")
    def caches() -> list[functools._lru_cache_wrapper[object]]:
        return [kept for kept in gc.get_objects() if type(kept) is functools._lru_cache_wrapper]

    @pytest.fixture(autouse=True)
    def nothing_kept(caches: list[functools._lru_cache_wrapper[object]]) -> None:
        """Forget what was worked out before: mutmut forks, and a result from before hides what a mutant makes of it."""
        for kept in caches:
            if (kept.__module__ or "").startswith(("prepare_fix", "test_", "object_flow")):
                kept.cache_clear()


@pytest.fixture
def expect_golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with the golden file that holds it; with --update-golden write it there, and fail."""

    def compare(path: Path, actual: str) -> None:
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        if actual == expected and path.exists():
            return
        lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=1)
        told = "\n".join([f"{path.parent.parent.name}/{path.parent.name}/{path.name} differs:", *lines])
        if request.config.getoption("--update-golden"):
            path.write_text(actual, encoding="utf-8", newline="\n")
            pytest.fail(f"{told}\nIt has been rewritten. Read the diff, then run again.", pytrace=False)
        pytest.fail(told, pytrace=False)

    return compare
