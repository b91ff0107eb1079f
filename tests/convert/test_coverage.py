"""The list of modules in the manual is that of the table."""

from __future__ import annotations

from t7shell.convert.coverage import MANUAL, updated


def test_manual_is_up_to_date():
    text = MANUAL.read_text(encoding="utf-8")
    assert text == updated(text), "run python3 -m t7shell.convert.coverage"
