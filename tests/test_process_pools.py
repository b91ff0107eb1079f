"""Models and Lua functions mapped over processes by multiprocessing, joblib and Dask."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import Model, Runtime, load_model
from tests.runtimes import runtime_fixture

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "dask_inference.py"


lua = runtime_fixture(
    "require 'nn' torch.manualSeed(1)", "net = nn.Sequential():add(nn.Linear(8, 4)):add(nn.Tanh())"
)


@pytest.fixture
def model(lua: Runtime, tmp_path: Path) -> Model:
    lua.globals["torch"].save(str(tmp_path / "net.t7"), lua.globals["net"])
    return load_model(tmp_path / "net.t7")


def parts() -> list[np.ndarray[Any, Any]]:
    return list(np.random.default_rng(1).normal(size=(6, 5, 8)))


def expected(lua: Runtime) -> list[np.ndarray[Any, Any]]:
    linear = lua.globals["net"].get(1)
    return [np.tanh(part @ linear.weight.T + linear.bias) for part in parts()]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_multiprocessing(lua: Runtime, model: Model, method: str) -> None:
    if method == "fork" and sys.version_info >= (3, 12):
        pytest.skip("Python warns of forks while threads run")
    double = lua.eval("function(x) return x * 2 end")
    with multiprocessing.get_context(method).Pool(2) as pool:
        np.testing.assert_allclose(pool.map(model, parts(), 1), expected(lua))
        assert pool.map(double, [1, 2.5, 3]) == [2, 5, 6]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(lua: Runtime, model: Model, backend: str) -> None:
    joblib = pytest.importorskip("joblib", reason="needs joblib")
    scores = joblib.Parallel(2, backend=backend)(joblib.delayed(model)(part) for part in parts())
    np.testing.assert_allclose(scores, expected(lua))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheduler", ["processes", "threads", "synchronous"])
def test_arrays_of_dask(lua: Runtime, model: Model, scheduler: str) -> None:
    array = pytest.importorskip("dask.array", reason='needs dask: pip install dask distributed')
    blocks = array.from_array(np.concatenate(parts()), chunks=(7, 8))
    scores = blocks.map_blocks(model, dtype="float64", chunks=(blocks.chunks[0], (4,)))
    found = scores.compute(scheduler=scheduler, num_workers=2)
    np.testing.assert_allclose(found, np.concatenate(expected(lua)))


def test_errors_come_back(model: Model) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(Exception, match="size"):
        pool.map(model, [np.ones((2, 3))])


@pytest.mark.slow
def test_the_example_runs_over_workers_of_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason='needs dask.distributed: pip install dask distributed')
    run = subprocess.run(
        [sys.executable, str(EXAMPLE)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert run.stdout == EXAMPLE.with_suffix(".out").read_text(), run.stderr
