"""The documents of this project: what their examples show is what the shell prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.doctest import run_document

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_document(path: Path) -> None:
    report = run_document(path)
    assert report.ok, report.text()


def test_readme_has_examples() -> None:
    assert run_document(ROOT / "README.md").outcomes
