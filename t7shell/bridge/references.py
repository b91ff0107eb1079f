"""References from Python to objects of Lua: their identity, and pickling."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine


class Reference:
    """A reference to a Lua object. Two are equal if they refer to the same object.

    Pickling serializes it as `torch.serialize` does. The copy that a pickle gives lives in a Lua state of its
    thread, with the packages that were loaded.
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
        """Writes the object to a ``.t7`` file, atomically, for `t7shell.save` and `Model`."""
        engine = self._engine
        with engine.lock:
            save = engine.lua.globals().torch.save
            engine.call(save, os.fsencode(os.fspath(path)), self.lua, mode.encode()).raise_for_status()

    def _address(self) -> str:
        return self._engine.address(self.lua)

    def __copy__(self) -> Reference:
        return type(self)(self.lua, self._engine)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        from t7shell.bridge.pickles import deserialized, serialized

        data, _, _ = serialized(self, self._engine)
        return deserialized(data, (), self._engine)

    def __reduce__(self) -> tuple[Any, ...]:
        from t7shell.bridge.pickles import restored, serialized

        return restored, serialized(self, self._engine)
