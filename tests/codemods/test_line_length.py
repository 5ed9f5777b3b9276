"""How wide a line may be, told by the file."""

from __future__ import annotations

import pytest

from prepare_fix.codemods.line_length import line_limit, width

BROKEN = "x = f(\n    a, b\n)\n"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("x = 1\n", 120),
        (f"{'a' * 130} = 1\n", 120),
        (BROKEN, 88),
        (BROKEN.replace("\n", "\r"), 88),
        (BROKEN.replace("\n", "\r\n"), 88),
        (BROKEN.replace("b", "b,"), 120),
        (BROKEN.replace("b", "b  # c"), 120),
        (BROKEN.replace("b", "b" * 115), 120),
        ("if y:\n  x = [\n    1\n  ]  + z\n", 88),
        (f"{BROKEN}{'a' * 95} = 1\n", 99),
        (f"{BROKEN}{'a' * 195} = 1\n", 120),
        (f"{BROKEN}{'a' * 95} = 1  # {'c' * 10}\n# {'c' * 100}\n", 99),
        (f"{BROKEN}{'a' * 95} = 1\nx = 'a' + '{'s' * 100}'\nx = f'{'s' * 100}{{x}}'\n", 99),
        (f"{BROKEN}{'a' * 95} = 1\nx = '''\n{'s' * 110}\n'''\n", 99),
    ],
)
def test_limit(text: str, limit: int) -> None:
    assert line_limit(text) == limit


def test_tabs_count() -> None:
    assert width("\tx") == 5
