"""``python -m prepare_fix``."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        # Python puts the current folder in front: a click.py of the checked project is none of ours.
        del sys.path[0]
    from prepare_fix.cli import main

    sys.exit(main())
