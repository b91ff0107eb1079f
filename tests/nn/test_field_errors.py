"""Fields of modules that hold what they must not: errors name the module, the field and what it holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Run

Lua = Callable[[str], str]

# A module, the field, the value, the input, and what the error says.
CASES = [
    ("Linear(2, 3)", "_type", "print", "torch.ones(2)", "_type must be the name of a type (got function)"),
    ("Linear(2, 3)", "_type", "{}", "torch.ones(2)", "_type must be the name of a type (got table {})"),
    ("Tanh()", "_type", "true", "torch.ones(2)", "_type must be the name of a type (got true)"),
    ("AddConstant(1)", "_type", "print", "torch.ones(2)", "_type must be the name of a type (got function)"),
    ("BatchNormalization(3)", "eps", "print", "torch.ones(2, 3)", "the field 'eps' must not be a function"),
    ("BatchNormalization(3)", "eps", "torch.ones(2)", "torch.ones(2, 3)", "eps"),
    (
        "TemporalConvolution(3, 4, 2)",
        "inputFrameSize",
        "'x'",
        "torch.ones(5, 2)",
        "'inputFrameSize' must be a number",
    ),
    (
        "TemporalConvolution(3, 4, 2)",
        "inputFrameSize",
        "{}",
        "torch.ones(5, 2)",
        "'inputFrameSize' must be a number",
    ),
    ("Max(2)", "dimension", "{}", "torch.ones(2, 2)", "'dimension' must not be a table"),
    ("Max(2)", "dimension", "print", "torch.ones(2, 2)", "'dimension' must not be a function"),
    ("TemporalDynamicKMaxPooling(3)", "output", "5", "torch.ones(5, 2)", "'output' must not be 5"),
    ("TemporalDynamicKMaxPooling(3)", "output", "print", "torch.ones(5, 2)",
     "'output' must not be a function"),
    ("Bilinear(2, 3, 4)", "bias", "{}", "{torch.ones(1, 2), torch.ones(1, 3)}", "bias"),
]


@pytest.mark.parametrize(("make", "field", "value", "x", "words"), CASES)
@pytest.mark.parametrize("inside", [False, True])
def test_errors_name_the_field(
    lua: Lua, make: str, field: str, value: str, x: str, words: str, inside: bool
) -> None:
    wrapped = "nn.Sequential():add(m)" if inside else "m"
    printed = lua(f"""
        require 'nn'
        local m = nn.{make}
        m.{field} = {value}
        local net = {wrapped}
        print(pcall(net.forward, net, {x}))""")
    assert printed.startswith("false") and make.split("(")[0] in printed and words in printed, printed
    assert "test:6" in printed and ".lua:" not in printed


def test_parameters_and_gradients(lua: Lua) -> None:
    printed = lua("""
        require 'nn'
        local l = nn.Linear(2, 3)
        l.gradBias = 5
        print(pcall(l.zeroGradParameters, l))
        l.bias = true
        print(pcall(l.updateParameters, l, 0.1))
        local c = nn.SpatialConvolution(1, 1, 3, 3)
        c.dH = 'x'
        print(c)""")
    lines = printed.splitlines()
    assert "Linear(2 -> 3): gradBias must be a tensor (got 5)" in lines[0]
    assert "bias must be a tensor (got true)" in lines[1]
    assert lines[2] == "nn.SpatialConvolution (fields that cannot be printed)"


def test_errors_that_nobody_catches(t7: Run) -> None:
    source = "require 'nn' m = nn.Euclidean(2, 3) m.weight = print m:updateOutput(torch.ones(2))"
    done = t7("-e", source)
    assert done.returncode == 1 and "weight" in done.stderr and "Euclidean" in done.stderr, done.stderr


def test_errors_of_the_program_stay_its_own(t7: Run) -> None:
    source = """require 'nn'
local Mine = torch.class('Mine', 'nn.Module')
function Mine:updateOutput(x) return nothing.there end
local function use() _G.Mine():forward(torch.ones(1)) end
use()"""
    done = t7("-e", source)
    assert "attempt to index global 'nothing' (a nil value)" in done.stderr
    assert "(command line):3: in function 'updateOutput'" in done.stderr or ":3: in function" in done.stderr
