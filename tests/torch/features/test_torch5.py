"""The dialect torch5: elements of a column follow each other in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine
from tests.lua_output import printer

Run = Callable[[str], str]


@pytest.fixture(scope="module")
def torch5() -> Run:
    return printer(Engine("torch5"))


STRIDES = "print(table.concat(x:stride():totable(), ' '), x:isContiguous())"


@pytest.mark.parametrize(
    "source",
    [
        "x = torch.Tensor(2, 3, 4)",
        "x = torch.FloatTensor(torch.LongStorage{2, 3, 4})",
        "x = torch.Tensor():resize(2, 3, 4)",
        "x = torch.Tensor():resizeAs(torch.Tensor(2, 3, 4))",
        "x = torch.IntTensor(torch.IntStorage(24), 1, torch.LongStorage{2, 3, 4})",
        "x = torch.Tensor():set(torch.Storage(24), 1, 2, -1, 3, -1, 4)",
        "x = torch.zeros(2, 3, 4)",
        "x = torch.zeros(2, 3, 4) + 1",
        "x = torch.add(torch.Tensor(), torch.zeros(2, 3, 4), 1)",
        "x = torch.zeros(2, 3, 4):clone()",
        "x = torch.zeros(4, 3, 2):transpose(1, 3):contiguous()",
        "x = torch.zeros(2, 3, 4):int()",
        "x = torch.range(1, 24):view(2, 3, 4)",
        "x = torch.cat(torch.zeros(1, 3, 4), torch.zeros(1, 3, 4), 1)",
        "x = torch.sort(torch.zeros(2, 3, 4), 2)",
    ],
)
def test_new_tensors_are_laid_out_by_columns(source: str, torch5: Run) -> None:
    assert torch5(f"{source} {STRIDES}") == "1 2 6\ttrue\n"


def test_given_strides_and_views_stay(torch5: Run) -> None:
    assert torch5(f"x = torch.Tensor(torch.Storage(6), 1, 2, 3, 3, 1) {STRIDES}") == "3 1\tfalse\n"
    assert torch5(f"x = torch.Tensor(2, 3):t() {STRIDES}") == "2 1\tfalse\n"
    assert torch5(f"x = torch.Tensor(3, 2) x = torch.Tensor(x:t()) {STRIDES}") == "3 1\tfalse\n"
    assert (
        torch5("x = torch.Tensor(2, 3) print(x:contiguous() == x, x:t():contiguous() == x)")
        == "true\tfalse\n"
    )


def test_storages_hold_columns(torch5: Run) -> None:
    source = "x = torch.Tensor{{1, 2, 3}, {4, 5, 6}} + 0 print(table.concat(x:storage():totable(), ' '))"
    assert torch5(source) == "1 4 2 5 3 6\n"
    source = "x = torch.Tensor(torch.Storage{1, 2, 3, 4, 5, 6}, 1, torch.LongStorage{2, 3}) print(x)"
    assert torch5(source) == " 1  3  5\n 2  4  6\n[torch.Tensor of dimension 2x3]\n\n"


@pytest.mark.parametrize(
    "source",
    [
        "print(torch.Tensor{{1, 2}, {3, 4}} * torch.Tensor{{1, 2, 3}, {4, 5, 6}})",
        "print(torch.max(torch.Tensor{{1, 7, 3}, {4, 5, 6}}, 1))",
        "x = torch.zeros(2, 3) x:t():maskedFill(torch.ByteTensor{{1, 0}, {1, 0}, {0, 1}}, 2) print(x)",
        "x = torch.zeros(3, 4) i = 0 x:apply(function() i = i + 1 return i end) print(x, x:sum(2), x:t())",
        "x = torch.Tensor{{4, 2}, {1, 3}} print(torch.inverse(x), torch.cumsum(x, 1))",
        "x = torch.Tensor{{4, 2}, {1, 3}} print(x:index(1, torch.LongTensor{2, 1}))",
        "x = torch.Tensor{{4, 2}, {1, 3}} print(x:gather(1, x:gt(2):long() + 1))",
        "x = torch.Tensor{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}} print(torch.conv2(x, torch.ones(2, 2), 'F'))",
        "x = torch.Tensor{{4, 2}, {1, 3}} x[{{}, 2}] = 9 x:add(1, x:t()) print(x, x:t():clone():mul(2))",
        """x = torch.Tensor{{1, 9, 4}, {2, 8, 8}, {3, 7, 1}, {3, 0, 0}}
        for _, name in ipairs{'max', 'min', 'sort', 'median', 'mode', 'std', 'sum', 'prod', 'cumsum'} do
           for d = 1, 2 do print(name, d, torch[name](x, d)) end
        end
        for d = 1, 2 do
           print(torch.topk(x, 2, d, true, true), torch.kthvalue(x, 2, d), x:norm(1, d), x:renorm(1, d, 3))
        end""",
        "torch.manualSeed(1) print(torch.multinomial(torch.eye(3):add(0.1), 4, true))",
        """i = 0 x = torch.IntTensor(16, 20):apply(function() i = i + 1 return i end)
        for _, row in ipairs(torch.mm(x:t(), x):totable()) do print(table.concat(row, ' ')) end
        i = 0 x = torch.Tensor(3, 4, 5):apply(function() i = i + 1 return i % 7 end)
        print(x:max(2), x:sort(1))""",
    ],
)
def test_values_are_those_of_the_other_dialects(source: str, torch5: Run) -> None:
    engine = Engine()
    with engine.capture() as out:
        assert engine.execute(source).ok
    assert torch5(source).replace("torch.Tensor of", "torch.DoubleTensor of") == out[0]


def test_tensors_of_doubles_are_plain_tensors(torch5: Run) -> None:
    source = "x = torch.Tensor(1) print(torch.type(x), torch.typename(x), x:type(), x:float():type())"
    assert torch5(source) == "torch.Tensor\ttorch.Tensor\ttorch.Tensor\ttorch.FloatTensor\n"
    assert torch5("print(torch.typename(3), torch.type(3), torch.type(torch.LongStorage()))") == (
        "nil\tnumber\ttorch.LongStorage\n"
    )
    assert (
        torch5("print(torch.FloatTensor{1.5}:type('torch.Tensor'))")
        == " 1.5000\n[torch.Tensor of dimension 1]\n\n"
    )
