"""Constructors without the arguments that they need: the error names the class and those."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import LuaError, Runtime


@pytest.fixture(scope="module")
def nn() -> Runtime:
    runtime = Runtime()
    runtime.execute("require 'nn'")
    return runtime


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Linear()", "nn.Linear: expected inputSize, outputSize (got 0 arguments)"),
        ("Linear(3)", "nn.Linear: expected inputSize, outputSize (got 1 argument)"),
        ("Linear(nil, 3)", "nn.Linear: expected inputSize, outputSize (got nil as inputSize)"),
        ("Linear(3, nil, false)", "nn.Linear: expected inputSize, outputSize (got 1 argument)"),
        (
            "SpatialConvolution(3, 16, 5)",
            "nn.SpatialConvolution: expected nInputPlane, nOutputPlane, kW, kH (got 3 arguments)",
        ),
        (
            "SpatialConvolution(3, nil, 5, 5)",
            "nn.SpatialConvolution: expected nInputPlane, nOutputPlane, kW, kH (got nil as nOutputPlane)",
        ),
        ("LookupTable(3)", "nn.LookupTable: expected nIndex, nOutput (got 1 argument)"),
        ("Reshape()", "nn.Reshape: expected sizes (got 0 arguments)"),
        ("CMul()", "nn.CMul: expected sizes (got 0 arguments)"),
    ],
)
def test_errors(nn: Runtime, tmp_path: Path, call: str, message: str) -> None:
    script = tmp_path / "net.lua"
    script.write_text(f"local x = 1\nlocal net = nn.{call}\n")
    with pytest.raises(LuaError) as caught:
        nn.execute(f"dofile('{script}')")
    assert str(caught.value).splitlines()[0].endswith(f"net.lua:2: {message}")


def test_the_constructor_keeps_its_parameters(nn: Runtime) -> None:
    names = nn.eval("table.concat(require('shell.sources').parameters(nn.Linear.__init), ' ')")
    assert names == "self inputSize outputSize bias"


def test_subclasses_call_it(nn: Runtime) -> None:
    nn.execute("""
        local Own, parent = torch.class('OwnLinear', 'nn.Linear')
        function Own:__init(size) parent.__init(self, size, size, false) end
        own = OwnLinear(4)
    """)
    assert nn.eval("own.weight:size(2)") == 4 and nn.eval("own.bias") is None
    with pytest.raises(LuaError, match=r"nn\.Linear: expected inputSize, outputSize \(got 0 arguments\)"):
        nn.execute("OwnLinear()")
