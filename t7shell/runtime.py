"""The Python API: Lua programs and Python sharing values."""

from __future__ import annotations

from typing import Any

from t7shell.engine import Engine
from t7shell.values import LuaTable, to_python, unpacked


class Runtime:
    """A Lua state with `torch` and its companions, for one thread.

    >>> lua = Runtime()
    >>> lua.execute("x = torch.zeros(2, 3)")
    >>> lua.globals()["x"][0, 0] = 7          # a NumPy array on the memory of the tensor
    >>> lua.eval("x[1][1]")
    7

    `dialect` is 't7', 'th' or 'torch5'. `t7shell.values` lists how values are converted.
    """

    def __init__(self, dialect: str = "t7") -> None:
        self.engine = Engine(dialect)

    def execute(self, source: str | bytes, name: str = "=python") -> Any:
        """Runs a Lua program and returns what it returns: None, a value or a tuple of values.

        Raises LuaError, or the exception of a Python callback that Lua did not catch.
        """
        result = self.engine.execute(source, name)
        result.raise_for_status()
        return unpacked(result.values, self.engine)

    def eval(self, expression: str | bytes) -> Any:
        """The value of a Lua expression, or a tuple of the values of several."""
        source = expression.encode("utf-8", "surrogateescape") if isinstance(expression, str) else expression
        return self.execute(b"return " + source)

    def globals(self) -> LuaTable:
        """The global variables of Lua as a mapping."""
        table: LuaTable = to_python(self.engine.lua.globals(), self.engine)
        return table
