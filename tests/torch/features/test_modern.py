"""The dialect modern: operators, assignments, masks and errors; dialects that are changed on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.errors import LuaError

Run = Callable[[str], Any]

SETUP = """
x = torch.Tensor{{1, 2, 3}, {4, 5, 6}}
row, column = torch.Tensor{10, 20, 30}, torch.Tensor{{100}, {200}}
cube = torch.range(1, 12):view(2, 3, 2)
none = torch.Tensor()
"""
X = np.array([[1.0, 2, 3], [4, 5, 6]])
ROW, COLUMN = np.array([10.0, 20, 30]), np.array([[100.0], [200]])
RANK3 = np.arange(1.0, 13).reshape(2, 3, 2)


@pytest.fixture(scope="module")
def modern() -> Run:
    return Runtime(dialect="modern").execute


@pytest.fixture(scope="module")
def usual() -> Run:
    return Runtime().execute


def of(run: Run, source: str) -> Any:
    return run(f"{SETUP} return {source}")


def error_of(run: Run, source: str) -> str:
    with pytest.raises(LuaError) as caught:
        run(f"{SETUP} local _ = {source}")
    return str(caught.value).removeprefix("python:6: ")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + row", X + ROW),
        ("x - column", X - COLUMN),
        ("row - x", ROW - X),
        ("row:view(3, 1) + row", ROW[:, None] + ROW),
        ("x * cube:select(3, 1):t()", X @ RANK3[:, :, 0].T),
        ("x * row", X @ ROW),
        ("row * row", 1400),
        ("x * x", X * X),
        ("x * column", X * COLUMN),
        ("row * x", ROW * X),
        ("cube * cube", RANK3 * RANK3),
        ("cube * torch.Tensor{1, -1}", RANK3 * [1, -1]),
        ("x / x", X / X),
        ("x / column", X / COLUMN),
        ("1 / x", 1 / X),
        ("row % x", ROW % X),
        ("x % 4", X % 4),
        ("7 % x", 7 % X),
        ("x ^ 2", X**2),
        ("2 ^ x", 2**X),
        ("x ^ torch.Tensor{1, 2, 3}", X ** [1, 2, 3]),
        ("x:long() ^ 2", X**2),
        ("x:int() / torch.IntTensor{2, 2, 4}", X // [2, 2, 4]),
        ("x:half() / row:half()", X / ROW),
        ("x:half() * torch.HalfTensor(3, 2, 1):fill(2)", np.full((3, 2, 3), 2) * X),
        ("x + none:resize(0)", None),
        ("torch.Tensor{1} + none", np.empty(0)),
        ("torch.Tensor{1} * none", np.empty(0)),
        ("none / none", np.empty(0)),
        ("torch.dist(x, row)", np.linalg.norm(X - ROW)),
        ("torch.cross(x, row)", np.cross(X, ROW)),
        ("torch.cross(row:view(3, 1), x:t(), 1)", np.cross(ROW[:, None], X.T, axis=0)),
        ("torch.where(torch.ByteTensor{1, 0, 1}, x, column)", np.where([1, 0, 1], X, COLUMN)),
        ("torch.where(torch.ByteTensor{{1}, {0}}, row, 0)", np.where([[1], [0]], ROW, 0)),
        ("torch.where(none, torch.ByteTensor{1}, 2, row)", np.where([1], 2, ROW)),
        ("row:where(torch.ByteTensor{{1}, {0}}, column)", np.where([[1], [0]], ROW, COLUMN)),
        ("torch.addmm(torch.ones(2), x, x:t())", X @ X.T + 1),
        ("torch.addmm(2, column, 3, x, x:t())", 2 * COLUMN + 3 * X @ X.T),
        ("torch.addmv(torch.ones(1), x, row)", X @ ROW + 1),
        ("torch.baddbmm(row, cube, cube:transpose(2, 3))", RANK3 @ RANK3.transpose(0, 2, 1) + ROW),
        ("torch.addbmm(row, cube, cube:transpose(2, 3))", (RANK3 @ RANK3.transpose(0, 2, 1)).sum(0) + ROW),
        ("torch.addr(row, row, row)", np.outer(ROW, ROW) + ROW),
        ("torch.Tensor():addmm(torch.ones(2), x, x:t())", X @ X.T + 1),
        ("x:clone():map(row, function(a, b) return a * b end)", X * ROW),
        ("x:clone():map2(row, column, function(a, b, c) return a + b + c end)", X + ROW + COLUMN),
        ("torch.zeros(2, 3):copy(row)", np.tile(ROW, (2, 1))),
        ("torch.zeros(2, 3):copy(row:float():view(1, 1, 1, 3))", np.tile(ROW, (2, 1))),
        ("torch.IntTensor(2, 3):copy(column)", np.tile(COLUMN, (1, 3))),
        ("x:clone():csub(row):abs():cmax(column)", np.maximum(abs(X - ROW), COLUMN)),
        ("torch.ones(2, 3):bernoulli(torch.Tensor{0, 1, 0})", [[0, 1, 0]] * 2),
        ("torch.ones(2, 3):bernoulli(torch.FloatTensor{{0}, {1}})", [[0] * 3, [1] * 3]),
        ("x:maskedSelect(torch.ByteTensor{1, 0, 1})", [1, 3, 4, 6]),
        ("x:clone():maskedFill(torch.ByteTensor{{1}, {0}}, 9)", [[9, 9, 9], [4, 5, 6]]),
        ("x:clone():maskedCopy(torch.ByteTensor{1, 0, 1}, torch.range(1, 6))", [[1, 2, 2], [3, 5, 4]]),
        ("x[torch.ByteTensor{0, 1}]", X[[False, True]]),
        ("cube[torch.ByteTensor{0, 1}]", RANK3[[False, True]]),
        ("cube[torch.gt(x, 4)]", RANK3[X > 4]),
        ("x[torch.ByteTensor{{0}, {1}}]", X[np.array([[0, 0, 0], [1, 1, 1]], bool)]),
        ("x[torch.gt(x, 4)]", X[X > 4]),
        ("x[torch.ByteTensor{0, 0}]", np.empty(0)),
    ],
)
def test_values(modern: Run, expression: str, expected: Any) -> None:
    if expected is None:
        assert "do not broadcast: dimension 2 is 3 and 0" in error_of(modern, expression)
        return
    got = of(modern, expression)
    assert np.shape(got) == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-3 if "half" in expression else 1e-12)


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("x[1]", "torch.Tensor{7}", [[7, 7, 7], [4, 5, 6]]),
        ("x[2]", "row:view(1, 3)", [[1, 2, 3], [10, 20, 30]]),
        ("x[{}]", "row", [[10, 20, 30]] * 2),
        ("x[{{}, {2, 3}}]", "column", [[1, 100, 100], [4, 200, 200]]),
        ("x[{{}, 2}]", "torch.FloatTensor{8}", [[1, 8, 3], [4, 8, 6]]),
        ("x[{2, {1, 2}}]", "0", [[1, 2, 3], [0, 0, 6]]),
        ("x[torch.gt(x, 4)]", "0", [[1, 2, 3], [4, 0, 0]]),
        ("x[torch.gt(x, 4)]", "torch.Tensor{9}", [[1, 2, 3], [4, 9, 9]]),
        ("x[torch.gt(x, 4)]", "torch.IntTensor{8, 9}", [[1, 2, 3], [4, 8, 9]]),
        ("x[torch.ByteTensor{0, 1}]", "row", [[1, 2, 3], [10, 20, 30]]),
        ("x[torch.ByteTensor{1, 1}]", "column", [[100] * 3, [200] * 3]),
        ("x[torch.ByteTensor{1, 0}]", "5", [[5, 5, 5], [4, 5, 6]]),
        ("x[torch.ByteTensor{0, 0}]", "row", [[1, 2, 3], [4, 5, 6]]),
        ("x[torch.ByteTensor{{1}, {0}}]", "5", [[5, 5, 5], [4, 5, 6]]),
    ],
)
def test_assignments(modern: Run, place: str, value: str, expected: Any) -> None:
    assert modern(f"{SETUP} {place} = {value} return x").tolist() == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x:csub(x[1])", X - X[0]),
        ("x:cdiv(x:narrow(2, 3, 1))", X / X[:, 2:]),
        ("x:t():cmul(x:select(2, 2))", X * X[:, [1]]),
        ("x:copy(x[{2, {1, 1}}])", np.full((2, 3), 4)),
        ("x:sub(1, 2, 1, 2):copy(x:select(2, 2))", [[2, 5, 3], [2, 5, 6]]),
        ("torch.add(x, x, cube:select(3, 1):clone():view(2, 1, 3))", X + RANK3[:, :, 0].reshape(2, 1, 3)),
        ("torch.cmul(x, row, x)", X * ROW),
        ("x:add(row, column)", ROW + COLUMN),
        ("x:set(row) torch.csub(x, column, x)", COLUMN - ROW),
    ],
)
def test_results_that_share_memory_with_operands(modern: Run, statement: str, expected: Any) -> None:
    np.testing.assert_array_equal(modern(f"{SETUP} {statement} return x"), expected)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x + torch.ones(4, 3)", "add: shapes 2x3 and 4x3 do not broadcast: dimension 1 is 2 and 4"),
        ("x + torch.ones(2)", "add: shapes 2x3 and 2 do not broadcast: dimension 2 is 3 and 2"),
        ("x + none", "add: shapes 2x3 and 0 do not broadcast: dimension 2 is 3 and 0"),
        (
            "torch.addcmul(x, row, torch.ones(4))",
            "addcmul: shapes 2x3, 3 and 4 do not broadcast: dimension 2 is 3 and 4",
        ),
        ("row:add(x)", "add: shape 3 cannot take a result of shape 2x3: it has 1 dimension, the result 2"),
        ("column:add(x)", "add: shape 2x1 cannot take a result of shape 2x3: dimension 2 is 1 and 3"),
        ("x:add(torch.ones(6))", "add: shapes 2x3 and 6 do not broadcast: dimension 2 is 3 and 6"),
        ("x:copy(column:t())", "copy: shape 2x3 cannot take a tensor of shape 1x2: dimension 2 is 3 and 2"),
        ("row:copy(x)", "copy: shape 3 cannot take a tensor of shape 2x3: it has 1 dimension, the other 2"),
        (
            "row:map(x, print)",
            "map: shape 3 cannot take a tensor of shape 2x3: it has 1 dimension, the other 2",
        ),
        (
            "x:maskedFill(torch.ByteTensor(2), 0)",
            "maskedFill: shape 2x3 cannot take a mask of shape 2: dimension 2 is 3 and 2",
        ),
        (
            "row:bernoulli(column)",
            "bernoulli: shape 3 cannot take probabilities of shape 2x1: it has 1 dimension, the other 2",
        ),
        (
            "x[torch.ByteTensor(3)]",
            "torch.DoubleTensor: the mask must have the sizes, or the first sizes, of the tensor "
            "(got shapes 3 and 2x3)",
        ),
        ("x * torch.ones(4, 5)", "cmul: shapes 2x3 and 4x5 do not broadcast: dimension 2 is 3 and 5"),
        ("row * torch.ones(2)", "cmul: shapes 3 and 2 do not broadcast: dimension 1 is 3 and 2"),
        ("x / x:float()", "'/': tensors must have one type (got torch.DoubleTensor and torch.FloatTensor)"),
        ("x:int() ^ row", "'^': tensors must have one type (got torch.IntTensor and torch.DoubleTensor)"),
        (
            "torch.where(torch.ByteTensor(2), x, 1)",
            "where: shapes 2x3 and 2 do not broadcast: dimension 2 is 3 and 2",
        ),
        (
            "torch.addmm(row, x, x:t())",
            "addmm: shape 2x2 cannot take a tensor of shape 3: dimension 2 is 2 and 3",
        ),
        ("x:int() / torch.IntTensor{1, 0, 1}", "cdiv: division by zero in a torch.IntTensor"),
        (
            "torch.ones(2^20, 1, 1):expand(2^20, 2^20, 1) + torch.ones(1, 1, 2^16)",
            "add: there can be at most 2^53 elements (got 7.20576e+16)",
        ),
    ],
)
def test_errors(modern: Run, source: str, message: str) -> None:
    assert error_of(modern, source) == message


def test_what_does_not_fit_a_mask(modern: Run) -> None:
    with pytest.raises(
        LuaError, match=r"torch\.DoubleTensor: shape 2 cannot take a tensor of shape 3: dimension 1"
    ):
        modern(f"{SETUP} x[torch.gt(x, 4)] = row")
    with pytest.raises(
        LuaError, match=r"the value under a mask must be a number or torch\.DoubleTensor \(got string\)"
    ):
        modern(f"{SETUP} x[torch.ByteTensor{{1, 0}}] = 'a'")


HINT = "; the dialect 'modern' would broadcast them"
BY_ELEMENTS = "; the dialect 'modern' goes element by element"


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("x + row", HINT),
        ("x + torch.ones(4)", ""),
        ("x + none", ""),
        ("x:add(row)", HINT),
        ("row:add(x)", ""),
        ("torch.add(row, row, x)", HINT),
        ("torch.addcmul(x, row, column)", HINT),
        ("torch.addcmul(x, row, torch.ones(4))", ""),
        ("torch.lt(x, row)", HINT),
        ("torch.dist(x, row)", HINT),
        ("torch.cross(x, row)", HINT),
        ("torch.where(torch.ByteTensor(3), x, 1)", HINT),
        ("x:copy(row)", HINT),
        ("row:copy(x)", ""),
        ("x:bernoulli(torch.ones(3))", HINT),
        ("x:maskedFill(torch.ByteTensor(3), 1)", HINT),
        ("x:maskedSelect(torch.ByteTensor(3))", HINT),
        ("x:map(row, print)", HINT),
        ("x * cube", ""),
        ("cube * cube", BY_ELEMENTS),
        ("x / row", BY_ELEMENTS),
        ("x % row", BY_ELEMENTS),
        ("1 / x", BY_ELEMENTS),
        ("x / torch.ones(4)", ""),
        ("x / {}", ""),
    ],
)
def test_other_dialects_say_that_modern_would(modern: Run, usual: Run, source: str, hint: str) -> None:
    message = error_of(usual, source)
    assert message.endswith(hint) and bool(hint) == ("modern" in message)
    if "print" in source:
        return
    if hint:
        of(modern, source.replace("row:add", "row:clone():add"))
    else:
        error_of(modern, source)


def test_a_program_changes_its_dialect() -> None:
    run = Runtime().execute
    assert run(
        f"""{SETUP}
        local function work() local _ = x + row; x:copy(row); x[1] = row:view(1, 3) end
        local function attempt() return (pcall(work)) end
        local function many() for i = 1, 200 do if not attempt() then return false end end return true end
        local before = many()
        local name, same = torch.dialect(), torch.dialect('modern')
        local within = many()
        torch.dialect('t7')
        return before, name, same, within, many()
        """
    ) == (False, "t7", "modern", True, False)


def test_equal_numbers_of_elements(modern: Run, usual: Run) -> None:
    """The original goes element by element where the numbers of elements are equal, whatever the sizes."""
    source = "x + torch.ones(3, 2)"
    assert of(usual, source).shape == (2, 3)
    assert error_of(modern, source) == "add: shapes 2x3 and 3x2 do not broadcast: dimension 2 is 3 and 2"
    assert of(modern, "row:view(3, 1) + row").shape == (3, 3)
    assert of(usual, "row:view(3, 1) + row").shape == (3, 1)
    assert of(modern, "x:copy(torch.range(1, 6))").tolist() == X.tolist()
    message = "torch.DoubleTensor: shape 2x3 cannot take a tensor of shape 6: dimension 2 is 3 and 6"
    assert error_of(modern, "nil x[{}] = torch.range(1, 6)") == message
    assert "shape 3 cannot take a tensor of shape 3x1" in error_of(modern, "nil x[1] = torch.ones(3, 1)")


NET = """
require 'nn'
torch.manualSeed(7)
local net = nn.Sequential():add(nn.SpatialConvolutionMM(2, 3, 3, 3)):add(nn.SpatialBatchNormalization(3))
net:add(nn.ReLU()):add(nn.View(-1, 27)):add(nn.Linear(27, 4)):add(nn.LogSoftMax())
local loss, input, target = nn.ClassNLLCriterion(), torch.randn(5, 2, 5, 5), torch.LongTensor{1, 2, 3, 4, 1}
local weights, gradients = net:getParameters()
for step = 1, 3 do
   gradients:zero()
   loss:forward(net:forward(input), target)
   net:backward(input, loss:backward(net.output, target))
   weights:add(-0.1, gradients)
end
return weights
"""


def test_networks_train_as_in_other_dialects(usual: Run) -> None:
    assert Runtime(dialect="modern").execute(NET).tobytes() == usual(NET).tobytes()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "torch.dialect('lua')",
            "dialect: argument 1 must be one of 't7', 'th', 'torch5', 'modern' (got 'lua')",
        ),
        ("torch.dialect(3)", "dialect: argument 1 must be one of 't7', 'th', 'torch5', 'modern' (got 3)"),
        (
            "torch.dialect('torch5')",
            "dialect: torch5 lays out memory from the start: begin with t7 --dialect torch5",
        ),
    ],
)
def test_wrong_dialects(usual: Run, call: str, message: str) -> None:
    assert error_of(usual, call) == message
    assert usual("return torch.dialect()") == "t7"


def test_torch5_with_broadcasting() -> None:
    run = Runtime(dialect="torch5").execute
    assert run(f"{SETUP} torch.dialect('modern') local y = x + row return y:stride(1), y[2][3]") == (1, 36)


def test_what_a_program_defined_stays(usual: Run) -> None:
    run = Runtime().execute
    assert run(
        f"""{SETUP}
        torch.DoubleTensor.copy = function() return 'copy' end
        torch.FloatTensor.__mul = function() return 'mul' end
        local f = torch.FloatTensor(1, 2, 3)
        torch.dialect('modern')
        return x:copy(row), f * f, (torch.add(x, row)[2][3])
        """
    ) == ("copy", "mul", 36)
