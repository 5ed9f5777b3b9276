"""Write ``docs/rules/`` and the table of rules in ``README.md`` from the rules' docstrings.

python scripts/rule_docs.py             writes what differs
python scripts/rule_docs.py --check     writes nothing; status 1 where something differs
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import generated

from prepare_fix.commands.options import known_rules
from prepare_fix.rules.page import file_name, render_page, render_table

FOLDER = Path("docs") / "rules"
_TABLE = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- /rules -->)", re.DOTALL)


def expected_files(root: Path) -> dict[Path, str]:
    """Return what has to be in the files that come from docstrings, by path."""
    rules = known_rules()
    readme = root / "README.md"
    table = render_table(rules, FOLDER.as_posix())
    pages = {root / FOLDER / file_name(rule.code, rule.name): render_page(rule) for rule in rules}
    return {**pages, readme: _TABLE.sub(lambda _: table, readme.read_text(encoding="utf-8"))}


def find_differences(root: Path) -> dict[Path, str | None]:
    """Return what the files that are not as they have to be should hold; None for a page of no rule."""
    return generated.find_differences(expected_files(root), (root / FOLDER).glob("*.md"))


def main(arguments: list[str]) -> int:
    """Write what differs, or with ``--check`` only tell."""
    root = Path(__file__).parent.parent
    return generated.bring_up_to_date(root, find_differences(root), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
