"""``python -m prepare_fix``."""

from __future__ import annotations

import sys

from prepare_fix.cli import main

if __name__ == "__main__":
    sys.exit(main())
