"""Four old documents of Torch5 and Torch7: every example prints what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.doctest.report import Verdict
from tests.documents import Override, run_document
from tests.seed_repairs import JOINED, MANUAL, NOTEBOOK, TORCH5

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed documents are not here")


@pytest.mark.parametrize(
    ("pattern", "dialect", "overrides", "examples", "compared"),
    [
        ("000_*", "torch5", JOINED, 18, 7),
        ("001_*", "torch5", TORCH5, 18, 6),
        ("002_*", "t7", NOTEBOOK, 10, 6),
        ("003_*", "t7", MANUAL, 237, 117),
    ],
    ids=["joined", "torch5", "notebook", "manual"],
)
def test_seed_document(
    pattern: str, dialect: str, overrides: list[Override], examples: int, compared: int
) -> None:
    (path,) = SEEDS.glob(pattern)
    report = run_document(path, overrides=overrides, dialect=dialect)
    assert report.ok, report.text()
    passed = [outcome for outcome in report.outcomes if outcome.verdict is Verdict.PASSED]
    assert len(report.outcomes) >= examples and len(passed) >= compared, report.summary()


@pytest.mark.parametrize("pattern", ["000_*", "001_*"])
def test_the_order_of_elements_is_what_tells_torch5(pattern: str) -> None:
    (path,) = SEEDS.glob(pattern)
    report = run_document(path, overrides=JOINED if pattern == "000_*" else TORCH5)
    sources = [outcome.example.source for outcome in report.failures]
    assert len(sources) == 2
    assert sources[0].startswith("print(x)") and sources[1].split() == ["return", "x:stride()"]
