"""Files that are written from the sources, and that a test holds to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def find_differences(wanted: Mapping[Path, str], there: Iterable[Path]) -> dict[Path, str | None]:
    """Return what the files that are not as ``wanted`` should hold; None for one of ``there`` that nobody wants."""
    stray: dict[Path, str | None] = {path: None for path in there if path not in wanted}
    return stray | {
        path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def bring_up_to_date(root: Path, differences: Mapping[Path, str | None], arguments: list[str]) -> int:
    """Name what differs, relative to ``root``, and write it; with ``--check`` only tell, in the exit status too."""
    only_tells = "--check" in arguments
    for path, text in sorted(differences.items()):
        print(path.relative_to(root))
        if only_tells:
            continue
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return 1 if differences and only_tells else 0
