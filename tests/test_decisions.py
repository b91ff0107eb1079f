"""The decision records have one form, and the code that each justifies names its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
SECTIONS = ["Context", "Decision", "Consequences", "Measurements"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_the_four_sections_and_at_most_60_lines(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    number = int(record.stem.split("-")[0])
    assert re.match(rf"# {number}\. \S", text)
    sections = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    assert sections[1::2] == SECTIONS
    assert all(body.strip() for body in sections[2::2])
    assert len(text.splitlines()) <= 60


def test_records_are_numbered_without_a_gap() -> None:
    assert [int(record.stem.split("-")[0]) for record in RECORDS] == list(range(1, len(RECORDS) + 1))


def test_code_names_every_record_and_no_other() -> None:
    sources = [path for folder in ("lua", "t7shell") for path in (ROOT / folder).rglob("*.[hlp]*")]
    named = {
        name
        for path in sources
        if path.suffix in {".lua", ".py", ".h"}
        for name in re.findall(r"docs/decisions/([\w-]*)", path.read_text(encoding="utf-8"))
    }
    assert named == {record.stem for record in RECORDS}
