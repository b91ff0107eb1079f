"""Too little memory on the device: an error with the sizes, and a session that goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from t7shell import Runtime
from tests.backends import DEVICE, running
from tests.lua_output import printer

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

Lua = Callable[[str], str]

MESSAGE = "CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has 1 GiB free."


class Short:
    """A function of PyTorch that has too little memory for its first calls."""

    def __init__(self, function: Any, failures: int) -> None:
        self.function, self.left, self.calls = function, failures, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        if self.left > 0:
            self.left -= 1
            raise torch.OutOfMemoryError(MESSAGE)
        return self.function(*given, **named)


@pytest.fixture
def lua() -> Iterator[Lua]:
    with running(DEVICE):
        runtime = Runtime()
        runtime.execute("require 'cunn'")
        yield printer(runtime.engine)


# The function that runs short, a call that uses it, what the error names.
CASES = [
    ("empty", "torch.CudaTensor(30, 20):uniform()", "CudaTensor: out of memory: cannot allocate 2400 bytes"),
    ("add", "x + x", "add: out of memory on DEVICE with operands [3, 4] [3, 4]: CUDA out of memory."),
    ("mul", "x:cmul(x, x)", "cmul: out of memory on DEVICE with operands [3, 4] [3, 4]: CUDA out of memory."),
    ("sort", "x:sort()", "sort: out of memory on DEVICE with operands [3, 4]: CUDA out of memory."),
    ("mm", "torch.mm(x, x:t())", "mm: out of memory on DEVICE with operands [3, 3] [3, 4] [4, 3]"),
    ("convolution", "conv:forward(image)", "convolution: out of memory on DEVICE with operands [1, 5, 5]"),
]  # fmt: skip
PRELUDE = """
x = torch.CudaTensor(3, 4):fill(1):add(1)
conv, image = nn.SpatialConvolution(1, 2, 3, 3):cuda(), torch.CudaTensor(1, 5, 5):fill(1):add(1)
"""


@pytest.mark.parametrize(("function", "call", "expected"), CASES)
def test_it_is_an_error_and_the_session_goes_on(
    lua: Lua, monkeypatch: pytest.MonkeyPatch, function: str, call: str, expected: str
) -> None:
    lua(PRELUDE)
    short = Short(getattr(torch, function), 2)
    monkeypatch.setattr(torch, function, short)
    message = lua(f"print(select(2, pcall(function() return {call} end)))")
    expected = expected.replace("DEVICE", DEVICE.removeprefix("pytorch:"))
    assert expected in message and message.startswith("test:1: ") and "\n" not in message.rstrip("\n")
    assert short.calls == 2
    assert lua(f"print(torch.isTensor({call}), x:add(1):sum() > 0)") == "true\ttrue\n"


@pytest.mark.parametrize(("function", "call", "_"), CASES)
def test_it_is_tried_again_when_garbage_is_gone(
    lua: Lua, monkeypatch: pytest.MonkeyPatch, function: str, call: str, _: str
) -> None:
    lua(PRELUDE)
    short = Short(getattr(torch, function), 1)
    monkeypatch.setattr(torch, function, short)
    assert lua(f"print(torch.isTensor({call}))") == "true\n"
    assert short.calls >= 2
