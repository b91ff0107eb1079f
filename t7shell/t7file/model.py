"""The contents of files of Torch7, and the names that files have for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell.errors import T7Error

NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN = 0, 1, 2, 3, 4, 5
# Functions: with upvalues listed by value, without and with an index, and with upvalues listed by name.
PLAIN_FUNCTION, OLD_FUNCTION, FUNCTION = 6, 7, 8

Array = np.ndarray[Any, Any]

DTYPES: dict[str, np.dtype[Any]] = {
    "Byte": np.dtype("uint8"),
    "Char": np.dtype("int8"),
    "Short": np.dtype("int16"),
    "Int": np.dtype("int32"),
    "Long": np.dtype("int64"),
    "Half": np.dtype("float16"),
    "Float": np.dtype("float32"),
    "Double": np.dtype("float64"),
}
TYPES = {dtype: name for name, dtype in DTYPES.items()}

# The state of a torch.Generator: what the struct of mt19937 takes on machines of 64 bits.
GENERATOR = "torch.Generator"
GENERATOR_BYTES = 5048


class T7FileError(T7Error):
    """A file cannot be read, or an object cannot be written."""


class Storage(np.ndarray[Any, Any]):
    """A torch storage: an array of one dimension that is written as a storage and not as a tensor."""


class Object:
    """An object of a class: the name of the class, the version that the file gives it, and its fields."""

    def __init__(self, typename: str, fields: Any = None, version: int = 1) -> None:
        self.typename = typename
        self.fields: Any = {} if fields is None else fields
        self.version = version

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.fields)) if isinstance(self.fields, dict) else "..."
        return f"<{self.typename}: {names}>"


class Function:
    """A Lua function: its bytecode and its upvalues, as the file lists them."""

    def __init__(self, code: bytes, upvalues: Any, tag: int = FUNCTION) -> None:
        self.code = code
        self.upvalues = upvalues
        self.tag = tag

    def __repr__(self) -> str:
        return f"<Lua function of {len(self.code)} bytes>"


class Key:
    """Stands in dictionaries for a key that Python cannot use as one: a table or a tensor.

    Two are equal when they hold the same object. True and False stand so too where 1 and 0 are keys as well.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash((Key, id(self.value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.value is other.value

    def __repr__(self) -> str:
        return f"Key({type(self.value).__name__})"
