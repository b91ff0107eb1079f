"""Values on their way between Lua and Python.

=====================  =========================================  =================================
Lua                    Python                                     back in Lua
=====================  =========================================  =================================
nil, boolean           None, bool                                 the same
number                 int if it is whole, else float             number
string                 str, read as UTF-8 (bytes kept: encoding.py)   string; bytes too
tensor                 NumPy array on the same memory             DoubleTensor etc. on that memory
storage                one-dimensional NumPy array, same memory   (a tensor)
function               LuaFunction, a callable                    the function itself
other table            LuaTable, a mapping                        the table itself
=====================  =========================================  =================================

A dict, list or tuple becomes a new Lua table, a Python callable a Lua function whose arguments and result are
converted like this. What offers its elements by the buffer protocol, `__array_interface__` or `__dlpack__`
becomes a tensor on that memory: see `arrays.from_numpy`. Any other Python object is handed through as it is.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from t7shell import encoding
from t7shell.calls import CallGuard
from t7shell.errors import LuaError
from t7shell.luajit import binding
from t7shell.result import Result, Status

if TYPE_CHECKING:
    from t7shell.engine import Engine


def to_python(value: Any, engine: Engine) -> Any:
    """A Lua value, as lupa gives it, for Python."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return encoding.from_lua(value)
    kind = binding().lua_type(value)
    if kind == "table":
        return LuaTable(value, engine)
    if kind == "function":
        return LuaFunction(value, engine)
    if kind is None:
        return value
    from t7shell.arrays import to_numpy

    array = to_numpy(value, engine)
    return value if array is None else array


def to_lua(value: Any, engine: Engine) -> Any:
    """A Python value as lupa is to hand it to Lua."""
    if value is None or isinstance(value, (bool, int, float, bytes)):
        return value
    if isinstance(value, str):
        return encoding.to_bytes(value)
    if isinstance(value, (LuaTable, LuaFunction)):
        return value.lua
    if isinstance(value, (dict, list, tuple)):
        return _new_table(value, engine)
    if binding().lua_type(value) is not None:
        return value
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    if _has_elements(value):
        from t7shell.arrays import array_of, from_numpy

        return from_numpy(array_of(value), engine)
    if callable(value):
        return engine.function(_lua_callable(value, engine))
    return value


def _has_elements(value: Any) -> bool:
    """Whether an object offers memory with elements, by a protocol that `arrays.array_of` reads."""
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
        # Nothing else can go wrong in a table without a metatable.
        table[checked_key(to_lua(key, engine))] = to_lua(item, engine)
    return table


def checked_key(key: Any) -> Any:
    """A key that Lua takes: lupa would end the process for another one. Raises LuaError."""
    if key is None or (isinstance(key, float) and key != key):
        raise LuaError(f"table index is {'nil' if key is None else 'nan'}")
    return key


def _lua_callable(function: Callable[..., Any], engine: Engine) -> Callable[..., Any]:
    """A callable that Lua may hold: it converts its arguments and its result.

    It does not keep the engine alive, since a cycle through Lua would never be collected.
    """
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


class LuaFunction:
    """A Lua function that Python may call: no result is None, several are a tuple."""

    def __init__(self, lua: Any, engine: Engine) -> None:
        self.lua = lua
        self._engine = engine

    def __call__(self, *args: Any) -> Any:
        """Raises LuaError, or what a Python callback raised and Lua did not catch."""
        engine = self._engine
        result = engine.call(self.lua, *(to_lua(arg, engine) for arg in args))
        return unpacked(result, engine)

    def __repr__(self) -> str:
        return f"<LuaFunction at {self._engine.address(self.lua)}>"


class LuaTable(MutableMapping[Any, Any]):
    """A Lua table, not a copy of it. Reading an item honours the metatable; iteration and `len` are raw."""

    def __init__(self, lua: Any, engine: Engine) -> None:
        self.lua = lua
        self._engine = engine

    def __getitem__(self, key: Any) -> Any:
        name = to_lua(key, self._engine)
        try:
            value = self.lua[name]
        except Exception:
            # Once more, for an error as Lua tells it.
            value = self._engine.get(self.lua, name)
        if value is None:
            raise KeyError(key)
        return to_python(value, self._engine)

    def __setitem__(self, key: Any, value: Any) -> None:
        name = checked_key(to_lua(key, self._engine))
        self._engine.put(self.lua, name, to_lua(value, self._engine))

    def __delitem__(self, key: Any) -> None:
        self[key]
        self._engine.put(self.lua, to_lua(key, self._engine), None)

    def __iter__(self) -> Iterator[Any]:
        for key in self.lua:
            yield to_python(key, self._engine)

    def __len__(self) -> int:
        """The number of all entries."""
        return sum(1 for _ in self.lua)

    def call(self, method: str, *args: Any) -> Any:
        """`table:method(args)` of Lua."""
        return self[method](self, *args)

    def to_list(self) -> list[Any]:
        """The elements from 1 up to the first nil; tables among them become lists or dicts (`to_dict`)."""
        return [_plain(item) for item in self._elements()]

    def to_dict(self) -> dict[Any, Any]:
        """All entries. Tables among the values become lists if their keys are 1 to n, and dicts otherwise."""
        return {key: _plain(value) for key, value in self.items()}

    def _elements(self) -> Iterator[Any]:
        for i in range(1, len(self) + 1):
            value = self.get(i)
            if value is None:
                return
            yield value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LuaTable) and self._address() == other._address()

    def __hash__(self) -> int:
        return hash(self._address())

    def __repr__(self) -> str:
        return f"<LuaTable at {self._address()}>"

    def _address(self) -> str:
        return self._engine.address(self.lua)


def _plain(value: Any) -> Any:
    if not isinstance(value, LuaTable):
        return value
    elements = value.to_list()
    return elements if elements and len(elements) == len(value) else value.to_dict()


def unpacked(result: Result, engine: Engine) -> Any:
    """What a Python call returns: None, the value, or a tuple of values. Raises what the program raised."""
    if result.status is Status.INTERRUPTED and isinstance(engine.guard, CallGuard):
        raise engine.guard.reason()
    try:
        result.raise_for_status()
    except LuaError as error:
        if result.raised is not None:
            error.value = to_python(result.raised, engine)
        raise
    converted = tuple(to_python(value, engine) for value in result.values)
    if not converted:
        return None
    return converted[0] if len(converted) == 1 else converted
