"""Values of Python for Lua; `values.py` lists how each kind is converted."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from t7shell.bridge.references import Reference
from t7shell.engine.calls import CallGuard
from t7shell.engine.errors import LuaError
from t7shell.engine.luajit import binding
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine


def to_lua(value: Any, engine: Engine) -> Any:
    """Converts a Python value to one that lupa passes to Lua."""
    if value is None or isinstance(value, (bool, int, float, bytes)):
        return value
    if isinstance(value, str):
        return encoding.to_bytes(value)
    if isinstance(value, Reference):
        return value.lua
    if isinstance(value, (dict, list, tuple)):
        return _new_table(value, engine)
    if binding().lua_type(value) is not None:
        return value
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    if (numpy is not None and isinstance(value, numpy.ndarray)) or _has_elements(value):
        from t7shell.bridge.arrays import array_of, from_numpy

        return from_numpy(array_of(value), engine)
    if callable(value):
        return engine.function(_lua_callable(value, engine))
    return value


def _has_elements(value: Any) -> bool:
    """Whether an object exposes its elements by a protocol that `arrays.array_of` reads."""
    if isinstance(value, type):
        return False
    if hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"):
        return True
    try:
        memoryview(value).release()
    except TypeError:
        return False
    except (BufferError, ValueError):
        pass
    return True


def _new_table(value: dict[Any, Any] | Sequence[Any], engine: Engine) -> Any:
    table = engine.lua.table()
    pairs = value.items() if isinstance(value, dict) else enumerate(value, 1)
    for key, item in pairs:
        # Only the key can be wrong in a table without a metatable.
        table[checked_key(to_lua(key, engine))] = to_lua(item, engine)
    return table


def checked_key(key: Any) -> Any:
    """A valid key of a Lua table: lupa would end the process for an invalid one. Raises LuaError."""
    if key is None or (isinstance(key, float) and key != key):
        raise LuaError(f"table index is {'nil' if key is None else 'nan'}")
    return key


def _lua_callable(function: Callable[..., Any], engine: Engine) -> Callable[..., Any]:
    """A callable for Lua that converts its arguments and its result.

    It does not keep the engine alive, since a cycle through Lua would never be collected.
    """
    from t7shell.bridge.values import to_python

    reference = weakref.ref(engine)

    def call(*args: Any) -> Any:
        owner = reference()
        if owner is None:
            raise RuntimeError("the Lua state of this function is gone")
        guard = owner.guard
        with guard.python() if isinstance(guard, CallGuard) else nullcontext():
            result = function(*(to_python(arg, owner) for arg in args))
        if isinstance(result, tuple):
            return tuple(to_lua(item, owner) for item in result)
        return to_lua(result, owner)

    return call
