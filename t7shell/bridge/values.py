"""Conversion of values between Lua and Python.

=====================  =========================================  =================================
Lua                    Python                                     back in Lua
=====================  =========================================  =================================
nil, boolean           None, bool                                 the same
number                 int if it is whole, else float             number
string                 str, read as UTF-8 (see encoding.py)       string; bytes too
tensor                 NumPy array on the same memory             DoubleTensor etc. on that memory
storage                one-dimensional NumPy array, same memory   (a tensor)
function               LuaFunction, a callable                    the function itself
object of a class      LuaObject, with its fields and methods     the object itself
other table            LuaTable, a mapping                        the table itself
=====================  =========================================  =================================

A dict, list or tuple becomes a new Lua table, a Python callable a Lua function whose arguments and result are
converted like this. An object with the buffer protocol, `__array_interface__` or `__dlpack__` becomes a
tensor on its memory: see `arrays.from_numpy`. Any other Python object is passed through unchanged.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from t7shell.bridge import state
from t7shell.engine.calls import CallGuard
from t7shell.engine.errors import LuaError
from t7shell.engine.luajit import binding
from t7shell.engine.report import notes
from t7shell.engine.result import Result, Status
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine

# Packages whose functions and classes a value may need.
_PACKAGES = (
    "nn", "nngraph", "optim", "image", "cutorch", "cunn", "cudnn", "dpnn", "nnx", "tds", "cjson", "csvigo",
)

Pickled = tuple[bytes, str, tuple[str, ...]]


def to_python(value: Any, engine: Engine) -> Any:
    """Converts a Lua value from lupa to Python."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return encoding.from_lua(value)
    kind = binding().lua_type(value)
    if kind == "table":
        if engine.helper("shell.objects").typename(value) is not None:
            return LuaObject(value, engine)
        return LuaTable(value, engine)
    if kind == "function":
        return LuaFunction(value, engine)
    if kind is None:
        return value
    from t7shell.bridge.arrays import to_numpy

    array = to_numpy(value, engine)
    return value if array is None else array


_INT64 = -(2**63), 2**63 - 1


def to_lua(value: Any, engine: Engine) -> Any:
    """Converts a Python value to one that lupa passes to Lua."""
    if value is None or isinstance(value, (bool, float, bytes)):
        return value
    if isinstance(value, int):
        # lupa takes 64 bits; Lua numbers are double anyway.
        return value if _INT64[0] <= value <= _INT64[1] else float(value)
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
        return to_lua(value.item(), engine)
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


class Reference:
    """A reference to a Lua object. Two are equal if they refer to the same object.

    Pickling serializes it as `torch.serialize` does. The copy that a pickle gives lives in a Lua state of its
    thread, with the packages that were loaded. Reading a pickle may run code.
    """

    lua: Any
    _engine: Engine

    def __init__(self, lua: Any, engine: Engine) -> None:
        object.__setattr__(self, "lua", lua)
        object.__setattr__(self, "_engine", engine)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._address() == other._address()

    def __hash__(self) -> int:
        return hash(self._address())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self._address()}>"

    def _save(self, path: str | os.PathLike[str], mode: str = "binary") -> None:
        """Writes the object to a ``.t7`` file, atomically, for `t7shell.save` and `Model`. Raises OSError."""
        engine = self._engine
        with engine.lock:
            save = engine.lua.globals().torch.save
            result = engine.call(save, os.fsencode(os.fspath(path)), self.lua, mode.encode())
            if not result.ok and "cannot open <" in result.message:
                open(path, "ab").close()  # Raises the OSError of which Lua has the text.
            result.raise_for_status()

    def _address(self) -> str:
        return self._engine.address(self.lua)

    def __copy__(self) -> Reference:
        return type(self)(self.lua, self._engine)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        data, _, _ = _serialized(self, self._engine)
        return _deserialized(data, (), self._engine)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, _serialized(self, self._engine)

    def __call__(self, *args: Any) -> Any:
        """Calls it; returns None, a value or a tuple of values. Raises LuaError or a callback's exception."""
        engine = self._engine
        with engine.lock:
            return unpacked(engine.call(self.lua, *(to_lua(arg, engine) for arg in args)), engine)


class LuaFunction(Reference):
    """A Lua function that Python may call."""


class _Entries(Reference):
    """The entries of a table or an object. Reading one honours the metatable; iteration is raw."""

    def __getitem__(self, key: Any) -> Any:
        name = to_lua(key, self._engine)
        try:
            value = self.lua[name]
        except Exception:
            # Repeated for the error message of Lua.
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

    def call(self, method: str, *args: Any) -> Any:
        """`value:method(args)` of Lua."""
        return self[method](self, *args)

    def _entry(self, key: Any) -> Any:
        try:
            return self[key]
        except KeyError:
            return None


class LuaTable(_Entries, MutableMapping[Any, Any]):
    """A Lua table, not a copy of it. Reading an item honours the metatable; iteration and `len` are raw.

    An entry whose key is a name may be read as an attribute too: `nn.Linear(3, 2)`.
    """

    __hash__ = Reference.__hash__
    __eq__ = Reference.__eq__

    def __repr__(self) -> str:
        text = unpacked(self._engine.call(self._engine.helper("shell.objects").line, self.lua), self._engine)
        return f"<LuaTable {text}>" if isinstance(text, str) else super().__repr__()

    def __getattr__(self, name: str) -> Any:
        value = None if name.startswith("__") else self.get(name)
        if value is None:
            near = _near(name, self._names())
            raise AttributeError(f"no entry {name!r} in this table{near}", name=name, obj=self)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._names()})

    def _names(self) -> list[str]:
        return [key for key in self if isinstance(key, str) and key.isidentifier()]

    def __len__(self) -> int:
        """The number of all entries."""
        return sum(1 for _ in self.lua)

    def to_list(self) -> list[Any]:
        """The elements from 1 up to the first nil; tables among them become lists or dicts (`to_dict`)."""
        items = map(self.get, range(1, len(self) + 1))
        return [plain(item) for item in takewhile(lambda item: item is not None, items)]

    def to_dict(self) -> dict[Any, Any]:
        """All entries. Tables among the values become lists if their keys are 1 to n, and dicts otherwise."""
        return {key: plain(value) for key, value in self.items()}


class LuaObject(_Entries):
    """An object of a Lua class. Attributes are its fields and methods; `print` shows Lua's text.

    `object["name"]` is any field, or a method that takes the object as its first argument, also where Python
    has an attribute of that name.
    """

    @property
    def typename(self) -> str:
        """The name of its class, such as 'nn.Linear'."""
        return encoding.from_lua(self._engine.helper("shell.objects").typename(self.lua))

    @property
    def fields(self) -> dict[Any, Any]:
        """Its fields by name."""
        return dict(LuaTable(self.lua, self._engine))

    def __contains__(self, key: Any) -> bool:
        return self._entry(key) is not None

    def __getattr__(self, name: str) -> Any:
        value = None if name.startswith("__") else self._entry(name)
        if value is None:
            raise AttributeError(self._missing(name), name=name, obj=self)
        return partial(value, self) if isinstance(value, LuaFunction) else value

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        if name not in self:
            raise AttributeError(self._missing(name), name=name, obj=self)
        del self[name]

    def __dir__(self) -> list[str]:
        fields, methods = self._names()
        return sorted({*super().__dir__(), *fields, *methods})

    def to_dict(self) -> dict[Any, Any]:
        """Its fields. Tables among them become lists if their keys are 1 to n, and dicts otherwise."""
        return {key: plain(value) for key, value in self.fields.items()}

    def __str__(self) -> str:
        text = unpacked(self._engine.call(self._engine.helper("shell.objects").text, self.lua), self._engine)
        return text if isinstance(text, str) else f"<{self.typename} at {self._address()}>"

    def __repr__(self) -> str:
        """A module of nn as Lua prints it, other objects by their class and address."""
        return str(self) if self._is_module() else f"<{self.typename} at {self._address()}>"

    def __call__(self, *args: Any) -> Any:
        """Calls it; a module of nn takes nested lists of numbers as tensors of its type."""
        if self._is_module() and any(isinstance(arg, (list, tuple)) for arg in args):
            from t7shell.bridge.inputs import dtype_of, of_type

            dtype = dtype_of(self.call("type"))
            args = tuple(of_type(arg, dtype) for arg in args)
        return super().__call__(*args)

    def _is_module(self) -> bool:
        return bool(self._engine.try_call(self._engine.helper("shell.objects").is_module, self.lua))

    def _names(self) -> tuple[list[str], list[str]]:
        """The names of fields and of methods."""
        fields, methods = self._engine.helper("shell.objects").names(self.lua)
        return encoding.from_lua(fields).split(), encoding.from_lua(methods).split()

    def _missing(self, name: str) -> str:
        fields, methods = self._names()
        near = _near(name, [*fields, *methods])
        more = ", ..." if len(fields) > _MAX_NAMES else ""
        listed = ", ".join(fields[:_MAX_NAMES]) + more or "no fields"
        count = f"{len(methods)} methods"
        return f"{self.typename} has no field or method {name!r}{near}; it has {listed}, and {count}"


_MAX_NAMES = 30        # fields that an error lists


def _near(name: str, names: Sequence[str]) -> str:
    import difflib

    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def plain(value: Any) -> Any:
    """Copies a table with the tables in it: lists where the keys are 1 to n, otherwise dicts.

    A table that is found twice, or contains itself, is one list or dict. Other values stay as they are.
    """
    known: dict[str, Any] = {}
    unfilled: list[tuple[Any, dict[Any, Any]]] = []

    def copied(item: Any) -> Any:
        if not isinstance(item, LuaTable):
            return item
        address = item._address()
        if address not in known:
            entries = dict(item.items())
            listed = bool(entries) and entries.keys() == set(range(1, len(entries) + 1))
            known[address] = [None] * len(entries) if listed else {}
            unfilled.append((known[address], entries))
        return known[address]

    result = copied(value)
    while unfilled:
        made, entries = unfilled.pop()
        for key, item in entries.items():
            made[key - 1 if isinstance(made, list) else key] = copied(item)
    return result


def unpacked(result: Result, engine: Engine) -> Any:
    """The result of a call in Python: None, a value, or a tuple of values. Raises the program's error."""
    if result.status is Status.INTERRUPTED and isinstance(engine.guard, CallGuard):
        raise engine.guard.reason()
    try:
        result.raise_for_status()
    except LuaError as error:
        if result.raised is not None:
            error.value = to_python(result.raised, engine)
        # `add_note` exists since Python 3.11.
        error.__notes__ = notes(result, engine)
        raise
    converted = tuple(to_python(value, engine) for value in result.values)
    if not converted:
        return None
    return converted[0] if len(converted) == 1 else converted


def _serialized(value: Reference, engine: Engine) -> Pickled:
    """Returns a value as bytes, the dialect of its state and the packages loaded there. Raises LuaError."""
    result = engine.call(engine.lua.globals().torch.serialize, value.lua)
    result.raise_for_status()
    names = encoding.from_lua(engine.helper("shell.objects").packages(*_PACKAGES)).split()
    return result.values[0].encode("latin-1"), engine.dialect, tuple(names)


def _deserialized(data: bytes, packages: tuple[str, ...], engine: Engine) -> Any:
    """Returns the value in a state."""
    engine.call(engine.helper("shell.objects").require, *packages).raise_for_status()
    return unpacked(engine.call(engine.lua.globals().torch.deserialize, data), engine)


def restored(data: bytes, dialect: str, packages: tuple[str, ...]) -> Any:
    """Returns the value of a pickle, in the state of this thread."""
    return _deserialized(data, packages, state.of_thread(dialect))
