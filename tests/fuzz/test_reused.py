"""Tensors whose sizes and memory are replaced many times stay consistent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fork_server import run_t7

SCRIPT = Path(__file__).with_name("reused.lua")


@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 4))])
def test_results_and_views_that_are_reused(seed: int) -> None:
    run = run_t7(str(SCRIPT), str(seed), "4000", timeout=300)
    assert (run.stdout, run.stderr) == ("true\n", "")
