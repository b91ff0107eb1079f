"""Operators that a program reads from and replaces in the tables of a type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.core.engine import Engine


@pytest.mark.parametrize("table", ["torch.getmetatable('torch.FloatTensor')", "torch.FloatTensor"])
def test_a_replaced_operator_takes_effect_in_compiled_code(table: str) -> None:
    source = f"""
    local x, methods = torch.FloatTensor{{1, 2}}, {table}
    local function sum_of_products()
       local sum = 0
       for i = 1, 300 do sum = sum + (x * 2)[2] end
       return sum
    end
    local before, original = sum_of_products(), methods.__mul
    local calls = 0
    methods.__mul = function(a, b) calls = calls + 1 return original(a, b * 10) end
    local replaced = sum_of_products()
    methods.__mul = original
    return before, replaced, calls, sum_of_products(), calls
    """
    result = Engine().execute(source)
    assert result.ok, result.report()
    assert list(result.values) == [1200, 12000, 300, 1200, 300]


@pytest.mark.parametrize("name", ["__add", "__sub", "__mul", "__div", "__mod", "__unm", "__index", "__add__"])
def test_operators_can_be_read(name: str, lua: Callable[[str], str]) -> None:
    assert lua(f"print(type(torch.getmetatable('torch.DoubleTensor').{name}))") == "function\n"


@pytest.mark.parametrize("name", ["__pow", "__concat", "__lt", "__call", "__pairs"])
def test_operators_that_tensors_lack_are_absent(name: str, lua: Callable[[str], str]) -> None:
    assert lua(f"print(torch.DoubleTensor.{name}, torch.rand(1).{name})") == "nil\tnil\n"
