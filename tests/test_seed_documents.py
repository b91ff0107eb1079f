"""Two old documents of Torch7: every example prints what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.doctest import Override, run_document
from t7shell.doctest.report import Verdict
from t7shell.engine import Engine
from tests.seed_repairs import MANUAL, NOTEBOOK

SEEDS = Path(__file__).resolve().parents[2] / "shared" / "seeds"

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed documents are not here")


@pytest.mark.parametrize(
    ("pattern", "overrides", "compared"),
    [("002_*", NOTEBOOK, 6), ("003_*", MANUAL, 100)],
    ids=["notebook", "manual"],
)
def test_seed_document(pattern: str, overrides: list[Override], compared: int) -> None:
    (path,) = SEEDS.glob(pattern)
    report = run_document(path, Engine, overrides)
    assert report.ok, report.text()
    passed = [outcome for outcome in report.outcomes if outcome.verdict is Verdict.PASSED]
    assert len(passed) >= compared, report.summary()
