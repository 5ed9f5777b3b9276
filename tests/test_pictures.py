"""The pictures of the documentation are what the tool draws, and can be read by themselves."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pictures
import pytest

ROOT = Path(__file__).parent.parent
SVG = "{http://www.w3.org/2000/svg}"


def test_nothing_is_out_of_date() -> None:
    stale = [path.name for path in pictures.find_differences(ROOT)]
    assert stale == [], "run python scripts/pictures.py"


def test_pictures_hold_all_that_they_refer_to() -> None:
    for text in pictures.expected_files(ROOT).values():
        picture = ET.fromstring(text)
        shapes = {shape.get("id") for shape in picture.iter() if shape.get("id")}
        used = {str(use.get("href")).lstrip("#") for use in picture.iter(f"{SVG}use")}
        assert used and used <= shapes
        assert "var(" not in text
        assert "&lt;" not in text, "markup that was escaped"
        right = max(float(line.get("x1", 0)) for line in picture.iter(f"{SVG}line"))
        assert right < float(picture.get("width", 0))


def test_script_writes_and_removes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "__file__", str(tmp_path / "scripts" / "pictures.py"))
    monkeypatch.setattr(pictures, "PICTURES", {"one.svg": "PF201"})
    stray = tmp_path / "docs" / "pictures" / "gone.svg"
    stray.parent.mkdir(parents=True)
    stray.write_text("", encoding="utf-8")
    assert pictures.main(["--check"]) == 1
    assert pictures.main([]) == 0
    assert pictures.main(["--check"]) == 0
    assert [path.name for path in stray.parent.iterdir()] == ["one.svg"]
