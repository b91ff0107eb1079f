"""Pickling of Lua values: bytes as `torch.serialize` writes them.

An unpickled value belongs to a Lua state of its thread, which is created on first use. Reading a pickle may
run code: read those of trusted sources only.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from t7shell.bridge.references import Reference
from t7shell.bridge.values import unpacked
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine

# Packages whose functions and classes a value may need.
_PACKAGES = (
    "nn", "nngraph", "optim", "image", "cutorch", "cunn", "cudnn", "dpnn", "nnx", "tds", "cjson", "csvigo",
)
_states = threading.local()

Pickled = tuple[bytes, str, tuple[str, ...]]


def serialized(value: Reference, engine: Engine) -> Pickled:
    """Returns a value as bytes, the dialect of its state and the packages loaded there. Raises LuaError."""
    result = engine.call(engine.lua.globals().torch.serialize, value.lua)
    result.raise_for_status()
    names = encoding.from_lua(engine.helper("shell.objects").packages(*_PACKAGES)).split()
    return result.values[0].encode("latin-1"), engine.dialect, tuple(names)


def deserialized(data: bytes, packages: tuple[str, ...], engine: Engine) -> Any:
    """Returns the value in a state."""
    engine.call(engine.helper("shell.objects").require, *packages).raise_for_status()
    return unpacked(engine.call(engine.lua.globals().torch.deserialize, data), engine)


def restored(data: bytes, dialect: str, packages: tuple[str, ...]) -> Any:
    """Returns the value of a pickle, in the state of this thread."""
    from t7shell.bridge.runtime import Runtime

    states: dict[str, Runtime] = _states.__dict__.setdefault("runtimes", {})
    if dialect not in states:
        states[dialect] = Runtime(dialect)
    return deserialized(data, packages, states[dialect].engine)

