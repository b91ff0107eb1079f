"""Fixtures that run tests of GPUs on each backend: the CPU's own kernels, and PyTorch on its CPU device.

T7_TEST_DEVICE names another device, such as `pytorch:cuda:0`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from t7shell.engine.engine import Engine

from .lua_output import printer


@contextmanager
def running(name: str) -> Iterator[None]:
    """Has T7_CUDA name a backend."""
    before = os.environ.get("T7_CUDA")
    os.environ["T7_CUDA"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["T7_CUDA"]
        else:
            os.environ["T7_CUDA"] = before


DEVICE = os.environ.get("T7_TEST_DEVICE", "pytorch:cpu")


@pytest.fixture(scope="session", params=["cpu", DEVICE])
def backend(request: pytest.FixtureRequest) -> str:
    """The value of T7_CUDA for the engine of a test."""
    name: str = request.param
    if name.startswith("pytorch"):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    return name


@pytest.fixture(scope="session")
def engine(backend: str) -> Engine:
    """One engine for the tests of a session on a backend."""
    with running(backend):
        made = Engine()
        result = made.execute("require 'cutorch'", "test")
    assert result.ok, result.report()
    return made


@pytest.fixture
def fresh_lua(backend: str) -> Iterator[Callable[[str], str]]:
    """Runs Lua source in an engine for this test, and returns its output."""
    with running(backend):
        yield printer(Engine())
