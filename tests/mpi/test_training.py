"""Training on several ranks: the result is that of one process with the whole batch, up to rounding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import t7shell

from .conftest import Run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "digits_mpi.lua"


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_digits(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    # In doubles, since steps of SGD amplify how sums of parts of the batch are rounded.
    source = EXAMPLE.read_text().replace("FloatTensor", "DoubleTensor")
    alone = mpiexec(1, source, "2", "one.t7", cwd=tmp_path)
    together = mpiexec(ranks, source, "2", "many.t7", cwd=tmp_path)
    assert (alone.returncode, alone.stderr, together.stderr) == (0, "", "")
    wanted = EXAMPLE.with_suffix(".out").read_text().splitlines()
    assert together.stdout.splitlines()[:2] == alone.stdout.splitlines()[:2] == wanted[:2]
    one, many = t7shell.load(tmp_path / "one.t7"), t7shell.load(tmp_path / "many.t7")
    assert np.abs(one).max() > 0.5
    np.testing.assert_allclose(many, one, atol=1e-9)
