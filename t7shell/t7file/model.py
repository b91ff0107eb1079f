"""The contents of files of Torch7, and the names that files have for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from t7shell.engine.errors import T7Error
from t7shell.engine.lua_paths import lua_directory
from t7shell.host.encoding import plain


def _rows(module: str, pattern: str) -> list[tuple[str, ...]]:
    """Reads the rows of a table in the Lua sources, a line each, without a Lua state."""
    path = os.path.join(lua_directory(), "torch", *module.split("."))
    with open(path + ".lua", encoding="utf-8") as file:
        found: list[tuple[str, ...]] = re.findall(pattern, file.read())
    return found


_RECORDS = _rows("io.file_formats", r"{ name = '(\w+)', tag = (\d)(, indexed = true)? }")
# The tag of each type of record: TAG.NIL, TAG.NUMBER, ...
TAG = SimpleNamespace(**{name: int(tag) for name, tag, _ in _RECORDS})
INDEXED = {int(tag) for _, tag, indexed in _RECORDS if indexed}

# What follows the name of a class whose objects are no table of fields: 'pairs', 'list' or 'long'.
OWN_FORMATS = {name: form for name, form in _rows("io.file_formats", r"\['([\w.]+)'\] = '(\w+)'")}


def _bytes(text: str) -> bytes:
    """The bytes of a string of Lua with escapes of three digits."""
    return re.sub(r"\\(\d{3})", lambda found: chr(int(found[1])), text).encode("latin-1")


# Files of other kinds: their first bytes, what they are, and what to do.
OTHER_FILES = [
    (_bytes(begin), kind, remedy)
    for begin, kind, remedy in _rows("io.file_formats", r"{ '([^']*)', '([^']*)', '([^']*)' }")
]

Array = np.ndarray[Any, Any]

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(dtype) for name, dtype in _rows("base.types", r"{ name = '(\w+)', .*? dtype = '(\w+)'")
}
TYPES = {dtype: name for name, dtype in DTYPES.items()}

# The state of a torch.Generator: the struct of mt19937 on 64-bit machines.
GENERATOR = "torch.Generator"
TIMER = "torch.Timer"  # of which files hold nothing
ON_DEVICE = "nn.GPU"  # whose fields come after a list of its type and its device
GENERATOR_BYTES = 5048


class T7FileError(T7Error):
    """A file cannot be read, or an object cannot be written."""


class Storage(np.ndarray[Any, Any]):
    """A torch storage: an array of one dimension that is written as a storage and not as a tensor.

    `of_device` says that it was read as one of a GPU, whose format is that of the CPU's.
    """

    of_device = False

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Storage):
            self.of_device = source.of_device


class Object:
    """An object of a class: the name of the class, the version of its format, and its fields.

    `obj["weight"]` and `obj.weight` are `obj.fields["weight"]`; fields called 'fields', 'typename' or
    'version' are read by `obj.fields`.
    """

    def __init__(self, typename: str, fields: Any = None, version: int = 1) -> None:
        self.__dict__.update(typename=typename, fields={} if fields is None else fields, version=version)

    typename: str
    fields: Any
    version: int

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if isinstance(fields, dict) and name in fields:
            return fields[name]
        typename = plain(self.__dict__.get("typename", "Object"))
        raise AttributeError(f"{typename} has no field {name!r}{_listed(fields)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("typename", "fields", "version") or not isinstance(self.fields, dict):
            self.__dict__[name] = value
        else:
            self.fields[name] = value

    def __getitem__(self, key: Any) -> Any:
        try:
            return self.fields[key]
        except KeyError:
            raise KeyError(f"{plain(self.typename)} has no field {key!r}{_listed(self.fields)}") from None

    def __setitem__(self, key: Any, value: Any) -> None:
        self.fields[key] = value

    def __contains__(self, key: Any) -> bool:
        return key in self.fields

    def __iter__(self) -> Iterator[Any]:
        """The names of the fields."""
        return iter(self.fields)

    def __dir__(self) -> list[str]:
        fields = self.fields if isinstance(self.fields, dict) else {}
        return sorted({*super().__dir__(), *(name for name in fields if isinstance(name, str))})

    def __repr__(self) -> str:
        """The class and the fields in one line each, without their contents."""
        if not isinstance(self.fields, dict):
            return f"<{plain(self.typename)}>"
        shown = list(self.fields.items())[:_MAX_FIELDS]
        rows = [f"  {plain(str(key))[:60]}: {_shown(value)}" for key, value in shown]
        more = [f"  ... and {len(self.fields) - _MAX_FIELDS} more"] if len(self.fields) > _MAX_FIELDS else []
        return "\n".join([plain(self.typename), *rows, *more])


_MAX_FIELDS = 50  # fields that are shown


def _listed(fields: Any) -> str:
    names = [plain(str(name)) for name in list(fields)[:_MAX_FIELDS]] if isinstance(fields, dict) else []
    return f"; it has {', '.join(names)}" if names else ""


def _shown(value: Any) -> str:
    """Describes a field: its value where that is short."""
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}, shape {value.shape}"
    if isinstance(value, Object):
        return plain(value.typename)
    if isinstance(value, (list, dict)):
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, (str, bytes)) and len(value) > 60:
        return f"{value[:60]!r}... ({len(value)} characters)"
    return repr(value)


class Function:
    """A Lua function: its bytecode and its upvalues, as the file lists them."""

    def __init__(self, code: bytes, upvalues: Any, tag: int = TAG.FUNCTION) -> None:
        self.code = code
        self.upvalues = upvalues
        self.tag = tag

    def __repr__(self) -> str:
        return f"<Lua function of {len(self.code)} bytes>"


class Key:
    """Wraps a key of a table that is not hashable in Python: a table or a tensor.

    Two are equal if they hold the same object. It also wraps True and False if 1 and 0 are keys as well.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash((Key, id(self.value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.value is other.value

    def __repr__(self) -> str:
        return f"Key({type(self.value).__name__})"
