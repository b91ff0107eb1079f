"""Values on their way between Lua and Python.

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

from collections.abc import Iterator, MutableMapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from t7shell.bridge.references import Reference
from t7shell.bridge.to_lua import checked_key, to_lua
from t7shell.engine.calls import CallGuard
from t7shell.engine.errors import LuaError
from t7shell.engine.luajit import binding
from t7shell.engine.result import Result, Status
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine


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


class _Callable(Reference):
    """A reference that Python may call."""

    def __call__(self, *args: Any) -> Any:
        """Calls it; returns None, a value or a tuple of values. Raises LuaError or a callback's exception."""
        engine = self._engine
        with engine.lock:
            return unpacked(engine.call(self.lua, *(to_lua(arg, engine) for arg in args)), engine)


class LuaFunction(_Callable):
    """A Lua function that Python may call."""


class _Entries(_Callable):
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
            from t7shell.bridge.models import Model

            model: Model[Any] = Model(self)
            args = tuple(model.of_type(arg) for arg in args)
        return super().__call__(*args)

    def _is_module(self) -> bool:
        return bool(self._engine.ask(self._engine.helper("shell.objects").is_module, self.lua))

    def _names(self) -> tuple[list[str], list[str]]:
        """The names of fields and of methods."""
        fields, methods = self._engine.helper("shell.objects").names(self.lua)
        return encoding.from_lua(fields).split(), encoding.from_lua(methods).split()

    def _missing(self, name: str) -> str:
        fields, methods = self._names()
        near = _near(name, [*fields, *methods])
        more = ", ..." if len(fields) > _MOST_NAMES else ""
        listed = ", ".join(fields[:_MOST_NAMES]) + more or "no fields"
        count = f"{len(methods)} methods"
        return f"{self.typename} has no field or method {name!r}{near}; it has {listed}, and {count}"


_MOST_NAMES = 30        # fields that an error lists


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
        from t7shell.prompt.report import notes

        # `add_note` exists since Python 3.11.
        error.__notes__ = notes(result, engine)
        raise
    converted = tuple(to_python(value, engine) for value in result.values)
    if not converted:
        return None
    return converted[0] if len(converted) == 1 else converted
