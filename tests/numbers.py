"""Tensors of the shared engine as NumPy arrays, for tests that compare with NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Lua = Callable[[str], str]

_PRINT = """
local function show(t)
   if type(t) == 'number' then print(string.format('%.17g', t)) return end
   local flat = {}
   for i, v in ipairs(t:clone():view(-1):totable()) do flat[i] = string.format('%.17g', v) end
   print(table.concat(t:size():totable(), 'x') .. ' ' .. table.concat(flat, ' '))
end
"""


def arrays(lua: Lua, source: str, *names: str) -> list[np.ndarray[Any, Any]]:
    """Runs Lua source, and returns the named tensors and numbers in doubles."""
    text = lua(_PRINT + source + "\n" + "".join(f"show({name}) " for name in names))
    result = []
    for line in text.splitlines():
        shape, _, values = line.partition(" ")
        if values:
            result.append(np.array(values.split(), float).reshape([int(n) for n in shape.split("x")]))
        else:
            result.append(np.array(float(line)))
    return result


def literal(array: np.ndarray[Any, Any], kind: str = "Double") -> str:
    """Lua source of a tensor with the elements of an array."""

    def table(values: Any) -> str:
        if isinstance(values, list):
            return "{" + ",".join(table(v) for v in values) + "}"
        return repr(values)

    return f"torch.{kind}Tensor({table(array.tolist())})"
