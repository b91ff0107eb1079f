"""t7shell: a Lua shell in which Torch7 programs run as they were written."""

from __future__ import annotations

from t7shell.errors import LuaError, LuaUnavailable, Stopped, T7Error
from t7shell.runtime import Runtime
from t7shell.values import LuaFunction, LuaTable

__version__ = "0.1.0"

__all__ = [
    "LuaError",
    "LuaFunction",
    "LuaTable",
    "LuaUnavailable",
    "Runtime",
    "Stopped",
    "T7Error",
    "__version__",
    "load",
    "save",
]


def __getattr__(name: str) -> object:
    """`load` and `save` of `t7shell.t7file`, which needs NumPy, are imported when they are used."""
    if name not in ("load", "save"):
        raise AttributeError(f"module 't7shell' has no attribute {name!r}")
    from t7shell import t7file

    return getattr(t7file, name)


def __dir__() -> list[str]:
    return sorted(__all__)
