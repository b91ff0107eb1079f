"""Torch7's mathematics where it differs from NumPy's: constructors, nan, integers, given results, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.range(2, 9, 3)", [2, 5, 8]),
        ("torch.range(3, 1, -1, 'torch.IntTensor')", [3, 2, 1]),
        ("torch.linspace(0, 1, 5)", [0, 0.25, 0.5, 0.75, 1]),
        ("torch.linspace(4, 4, 1)", [4]),
        ("torch.linspace(0, 1, 50)[50] - 1", 0),
        ("torch.linspace(1, 0, 3, 'torch.FloatTensor')", [1, 0.5, 0]),
        ("torch.eye(2, 3)", [[1, 0, 0], [0, 1, 0]]),
        ("torch.eye('2', '1')", [[1], [0]]),
        ("torch.eye(2, 'torch.ByteTensor')", [[1, 0], [0, 1]]),
        ("torch.zeros('2', 1)", [[0], [0]]),
        ("torch.ones(torch.LongStorage{1, 2})", [[1, 1]]),
        ("torch.diag(torch.Tensor{1, 2})", [[1, 0], [0, 2]]),
        ("torch.diag(torch.Tensor{1, 2}, -1)", [[0, 0, 0], [1, 0, 0], [0, 2, 0]]),
        ("torch.diag(torch.range(1, 6):resize(2, 3):t(), -1)", [2, 6]),
        ("torch.tril(torch.ones(3, 3), -1)", [[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        ("torch.triu(torch.ones(2, 3), 1)", [[0, 1, 1], [0, 0, 1]]),
        ("torch.triu(torch.ones(3, 3):narrow(2, 2, 2))", [[1, 1], [0, 1], [0, 0]]),
        ("torch.cat(torch.ones(2, 1), torch.zeros(2, 2), 2)", [[1, 0, 0], [1, 0, 0]]),
        ("torch.cat({torch.ones(2), torch.Tensor(), torch.zeros(1)})", [1, 1, 0]),
        ("torch.cat(torch.ones(2), torch.zeros(2), 2)", [[1, 0], [1, 0]]),
        ("torch.cat(torch.range(1, 4):resize(2, 2):t(), torch.zeros(1, 2), 1)", [[1, 3], [2, 4], [0, 0]]),
        ("torch.histc(torch.Tensor{-5, 0, 1, 2, 9}, 2, 0, 2)", [1, 2]),
        ("torch.histc(torch.Tensor{3, 3}, 3)", [0, 2, 0]),
        ("torch.bhistc(torch.Tensor{{1, 2}, {4, 4}}, 2, 1, 4)", [[2, 0], [0, 2]]),
        # Rounded to floats, a tenth is no less than one of ten parts.
        ("torch.histc(torch.range(1, 9):float():div(10), 10, 0, 1)", [0] + [1] * 9),
        ("torch.cross(torch.Tensor{{1, 0, 0}}, torch.Tensor{{0, 1, 0}})", [[0, 0, 1]]),
        ("torch.cross(torch.ByteTensor{1, 2, 3}, torch.ByteTensor{3, 2, 1})", [252, 8, 252]),
        ("torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 5)", [[3, 4], [0, 1]]),
        ("torch.match(torch.Tensor{{0, 0}}, torch.Tensor{{3, 4}, {1, 0}}, 2)", [[50, 2]]),
        # TH: x - v * floor(x / v), of which the quotient is rounded to the type and the rest not.
        ("torch.Tensor{1, 6, 5.5, -7}:remainder(0.1)", [0, 0, 0, 0]),
        ("torch.Tensor{6, 5.5, -7} % -3", [0, -0.5, -1]),
        ("torch.FloatTensor{1, 2}:cremainder(torch.FloatTensor{0.1, 0.2})", [-(2**-26), -(2**-25)]),
        ("torch.Tensor{5, -5}:remainder(1/0)", [float("nan")] * 2),
        # Bounds are numbers of the type before they are compared.
        ("torch.ByteTensor{0, 5, 252}:clamp(-5, 3)", [251, 251, 3]),
        ("torch.CharTensor{5, 60}:clamp(-200, 3)", [56, 3]),
        ("torch.Tensor{1, 3, -1}:clamp(0/0, 2)", [1, 2, -1]),
        ("torch.Tensor{1, 3, -1}:clamp(0, 0/0)", [1, 3, 0]),
        # A result with as many elements keeps its sizes and strides.
        ("torch.Tensor(2, 3):range(1, 6)", [[1, 2, 3], [4, 5, 6]]),
        ("torch.range(torch.IntTensor(3, 2):t(), 1, 6)", [[1, 2, 3], [4, 5, 6]]),
        ("torch.linspace(torch.Tensor(2, 2), 0, 3, 4)", [[0, 1], [2, 3]]),
        ("torch.logspace(torch.Tensor(2, 2):t(), 0, 3, 4)", [[1, 10], [100, 1000]]),
        ("torch.cat(torch.Tensor{1, 2}, {torch.Tensor(), torch.Tensor()})", [1, 2]),
        ("torch.ones(3, 3):conv2(torch.ones(2, 2))", [[4, 4], [4, 4]]),
        ("torch.histc(torch.Tensor{-1e308, 0, 1e308}, 4)", [2, 0, 0, 1]),
    ],
)
def test_values(run: Callable[[str], Any], source: str, expected: list[Any]) -> None:
    np.testing.assert_allclose(run(f"return {source}"), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("torch.add(torch.Tensor(2), torch.Tensor(3, 5))", ["[2]", "[3x5]"]),
        ("torch.cdiv(torch.IntTensor(2), torch.IntTensor(3))", ["[2]", "[3]"]),
        ("torch.lt(torch.Tensor(2), torch.Tensor(3))", ["[2]", "[3]"]),
        ("torch.dist(torch.Tensor(2), torch.Tensor(3))", ["[2]", "[3]"]),
        ("torch.cross(torch.Tensor(3), torch.Tensor(3, 1))", ["[3]", "[3x1]"]),
        ("torch.cat(torch.Tensor(2, 2), torch.Tensor(3, 3), 1)", ["[2x2]", "[3x3]"]),
        ("torch.exp(torch.IntTensor(1))", ["torch.IntTensor", "torch.exp"]),
        ("torch.bitand(torch.Tensor(1), 1)", ["bitand", "integer"]),
        ("torch.sum(torch.Tensor(2), 2)", ["sum", "dimension 2"]),
        ("torch.topk(torch.Tensor(2), 3)", ["topk", "3"]),
        ("torch.kthvalue(torch.Tensor(2), 0)", ["kthvalue", "0"]),
        ("torch.Tensor():max()", ["max"]),
        ("torch.ByteTensor():all()", ["all", "empty"]),
        ("torch.ByteTensor():any()", ["any", "empty"]),
        ("torch.histc(torch.Tensor{1}, 0)", ["histc", "0"]),
        (
            "torch.ones(2) < torch.ones(2)",
            ["both torch.DoubleTensor and torch.DoubleTensor have no less-than operator"],
        ),
        ("torch.ones(2) .. 'x'", ["concat operator"]),
        ("torch.ones(2) ^ 2", ["power operator"]),
    ],
)
def test_errors_say_what_was_wrong(run: Callable[[str], Any], source: str, words: list[str]) -> None:
    ok, message = run(f"return pcall(function() return {source} end)")
    assert not ok
    for word in words:
        assert word in str(message)


@pytest.mark.parametrize("call", ["indexCopy", "indexAdd"])
def test_slices_match_by_their_number_of_elements(call: str, run: Callable[[str], Any]) -> None:
    """As in TH: the source of an index has slices of as many elements, whatever their shape."""
    source = "torch.range(1, 12):resize(2, 6)"
    x = run(f"return torch.zeros(3, 2, 3):{call}(1, torch.LongTensor{{3, 1}}, {source})")
    assert x.tolist() == [[[7, 8, 9], [10, 11, 12]], [[0] * 3] * 2, [[1, 2, 3], [4, 5, 6]]]


def test_of_options_the_first_letter_counts(run: Callable[[str], Any]) -> None:
    assert run("return torch.potrf(torch.Tensor{{4, 2}, {2, 5}}, 'Lower')").tolist() == [[2, 0], [1, 2]]
    assert run("return torch.conv2(torch.ones(3, 3), torch.ones(2, 2), 'Full'):size(1)") == 4
    assert run("return torch.symeig(torch.eye(2), 'Vectors', 'Upper'):sum()") == 2
