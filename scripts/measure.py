"""Write ``docs/measured.md``: run the pairs of ``tests/runtime`` and tell what each comes to.

python scripts/measure.py                       with the accelerate and torch that are installed
python scripts/measure.py --older FOLDER        and with another accelerate, put there by
                                                pip install --target FOLDER --no-deps accelerate==0.25.0
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "runtime"))

from catalogue import PAIRS  # noqa: E402
from measuring import OLDER_MODES, measure  # noqa: E402
from safety import play_goldens, render_safety  # noqa: E402
from table import render  # noqa: E402


def main() -> None:
    """Run all pairs and write the page."""
    parser = argparse.ArgumentParser(description="Write docs/measured.md from runs.")
    parser.add_argument("--older", type=Path, action="append", default=[], metavar="FOLDER")
    folders: list[Path] = parser.parse_args().older
    with tempfile.TemporaryDirectory() as name:
        newest = measure(PAIRS, Path(name) / "newest")
        older = [
            measure(PAIRS, Path(name) / str(number), folder.resolve(), OLDER_MODES)
            for number, folder in enumerate(folders)
        ]
        safety = render_safety(play_goldens(Path(name) / "goldens"))
    (ROOT / "docs" / "measured.md").write_text(render(newest, older, safety), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
