"""Print a sample of the mutants that mutmut makes of some files, for ``mutmut run``.

python scripts/sample_mutants.py --count 100 --seed 1 src/prepare_fix/flow/*.py
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name


def main() -> None:
    """Print the names, one a line; the same seed gives the same ones as long as the files stay the same."""
    parser = argparse.ArgumentParser(description="Print a random sample of mutants.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    names = [
        get_mutant_name(path, name)
        for path in sorted(options.files)
        for name in mutate_file_contents(str(path), path.read_text(encoding="utf-8")).mutant_names
    ]
    print("\n".join(random.Random(options.seed).sample(names, min(options.count, len(names)))))


if __name__ == "__main__":
    main()
