"""Copies, in the sizes at which their code takes other paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


SIZES = "{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 40}"


@pytest.mark.parametrize(
    ("to", "source"),
    [
        ("Double", "Double"),
        ("Float", "Double"),
        ("Double", "Float"),
        ("Int", "Double"),
        ("Half", "Half"),
        ("Long", "Int"),
        ("Float", "Long"),
        ("Byte", "Short"),
    ],
)
def test_matrices_of_all_layouts_are_copied(lua: Lua, to: str, source: str) -> None:
    lua(f"""
        local function layouts(T, rows, columns)
           local wide = T(rows + 2, columns + 3):zero()
           return {{
              T(rows, columns):zero(), T(columns, rows):zero():t(), wide:sub(2, rows + 1, 3, columns + 2),
              T(columns + 3, rows + 2):zero():t():sub(2, rows + 1, 3, columns + 2),
              T(rows, columns, 2):zero():select(3, 2), T(rows, 2, columns):zero():select(2, 2),
           }}, wide
        end
        for _, rows in ipairs{SIZES} do
           for _, columns in ipairs{SIZES} do
              local sources = layouts(torch.{source}Tensor, rows, columns)
              for k, x in ipairs(sources) do
                 for i = 1, rows do
                    for j = 1, columns do x[i][j] = (i * 41 + j) % 113 end
                 end
                 local results, wide = layouts(torch.{to}Tensor, rows, columns)
                 for l, r in ipairs(results) do
                    r:copy(x)
                    for i = 1, rows, rows > 9 and 3 or 1 do
                       for j = 1, columns do assert(r[i][j] == (i * 41 + j) % 113, rows .. 'x' .. columns) end
                    end
                 end
                 -- Nothing was written around the part of a larger matrix.
                 assert(wide:double():sum() == x:double():sum())
              end
           end
        end
    """)


@pytest.mark.parametrize(
    ("to", "source"), [("Float", "Double"), ("Double", "Float"), ("Char", "Long"), ("Half", "Int")]
)
def test_vectors_are_converted(lua: Lua, to: str, source: str) -> None:
    lua(f"""
        for n = 1, 70 do
           local x, r = torch.range(1, n):type('torch.{source}Tensor'), torch.{to}Tensor(n + 2):fill(9)
           r:narrow(1, 2, n):copy(x)
           assert(r[1] == 9 and r[n + 2] == 9)
           for i = 1, n do assert(r[i + 1] == i, n) end
        end
    """)


def test_rows_that_are_written_while_they_are_read(lua: Lua) -> None:
    # Element by element, as the original does it where layouts are not contiguous.
    assert (
        lua("""
        local x = torch.range(1, 40):resize(2, 20)
        x:narrow(2, 2, 10):copy(x:narrow(2, 1, 10))
        print(x[1][11], x[2][11], x[1][12])
        local y = torch.range(1, 40):resize(2, 20)
        y:narrow(2, 1, 10):copy(y:narrow(2, 2, 10))
        print(y[1][1], y[1][10], y[2][10])
    """)
        == "1\t21\t12\n2\t11\t31\n"
    )
