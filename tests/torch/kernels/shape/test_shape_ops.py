"""The sizes of a tensor, its elements in other sizes, and its only element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


def test_flatten_follows_numpy() -> None:
    flatten = Runtime().execute("return function(x, a, b) return x:flatten(a, b) end")
    x = np.arange(120).reshape(2, 3, 4, 5)
    for layout in (x, x.T, x[:, 1:, ::2]):
        for first in range(4):
            for last in range(first, 4):
                shape = (*layout.shape[:first], -1, *layout.shape[last + 1 :])
                expected = layout.reshape(shape)
                for made in (flatten(layout, first + 1, last + 1), flatten(layout, first - 4, last - 4)):
                    assert made.shape == expected.shape and (made == expected).all()


def test_flatten_is_a_view_where_it_can_be(lua: Lua) -> None:
    program = """
        local x = torch.zeros(2, 3)
        x:flatten()[4], x:t():flatten()[1] = 5, 7
        print(x[2][1], x[1][1], torch.flatten(x, 1):dim())
        print(torch.Tensor():flatten():dim(), x:half():flatten()[4])
    """
    assert lua(program) == "5\t0\t1\n0\t5\n"


def test_shapes_and_items(lua: Lua) -> None:
    program = """
        local x = torch.zeros(2, 3)
        print(torch.type(x:shape()), x:shape()[2], x:shape(-1), torch.shape(x)[1], #torch.Tensor():shape())
        for _, kind in ipairs { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
           local y = torch.range(1, 6):type('torch.' .. kind .. 'Tensor'):view(2, 3)
           io.write(y:narrow(1, 2, 1):narrow(2, 2, 1):item(), ' ')
        end
    """
    assert lua(program) == "torch.LongStorage\t3\t3\t2\t0\n" + "5 " * 8


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("torch.zeros(2, 3):item()", "item: the tensor must have one element (got [2x3] of 6)"),
        ("torch.Tensor():item()", "item: the tensor must have one element (got [] of 0)"),
        ("torch.zeros(2, 3):flatten(2, 1)", "dimension 1 is before dimension 2"),
        ("torch.zeros(2, 3):flatten(3)", "dimension 3 out of range"),
        ("torch.zeros(2, 3):shape(3)", "dimension 3 out of range"),
        ("torch.flatten({})", "flatten: invalid arguments"),
    ],
)
def test_wrong_use_is_an_error(engine: Engine, source: str, message: str) -> None:
    result = engine.execute(source)
    assert not result.ok and message in result.report()
