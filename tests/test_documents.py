"""The documents of this project: the shell prints the outputs that their examples show."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.documents import run_document

ROOT = Path(__file__).resolve().parents[1]
# tests/test_reference.py makes the pages of the reference anew, and runs their examples.
MANUAL = [path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.parts]
DOCUMENTS = [path for path in [ROOT / "README.md", *sorted(MANUAL)] if path.exists()]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow) if path.stem == "gnuplot" else path for path in DOCUMENTS],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_document(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = run_document(path)
    assert report.ok, report.text()
    assert report.outcomes or path.name != "README.md"
    # The examples of a chapter draw its pictures.
    for name in re.findall(r"!\[[^\]]*\]\((pictures/[^)]*\.png)\)", path.read_text()):
        with Image.open(tmp_path / name) as drawn, Image.open(path.parent / name) as shown:
            assert drawn.size == shown.size
            difference = np.asarray(drawn.convert("RGB"), float) - np.asarray(shown.convert("RGB"), float)
        assert np.abs(difference).mean() < 8, f"{name} shows something else"
