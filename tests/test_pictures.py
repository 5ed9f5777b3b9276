"""The pictures of the documentation are what the tool draws, and can be read by themselves."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "scripts" / "pictures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_is_out_of_date(script: ModuleType) -> None:
    stale = [path.name for path in script.find_differences(ROOT)]
    assert stale == [], "run python scripts/pictures.py"


def test_pictures_hold_all_that_they_refer_to(script: ModuleType) -> None:
    for text in script.expected_files(ROOT).values():
        picture = ET.fromstring(text)
        shapes = {shape.get("id") for shape in picture.iter() if shape.get("id")}
        used = {str(use.get("href")).lstrip("#") for use in picture.iter(f"{SVG}use")}
        assert used and used <= shapes
        assert "var(" not in text
        assert "&lt;" not in text, "markup that was escaped"
        right = max(float(line.get("x1", 0)) for line in picture.iter(f"{SVG}line"))
        assert right < float(picture.get("width", 0))


def test_script_writes_and_removes(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "__file__", str(tmp_path / "scripts" / "pictures.py"))
    monkeypatch.setattr(script, "PICTURES", {"one.svg": "PF201"})
    stray = tmp_path / "docs" / "pictures" / "gone.svg"
    stray.parent.mkdir(parents=True)
    stray.write_text("", encoding="utf-8")
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
    assert [path.name for path in stray.parent.iterdir()] == ["one.svg"]
