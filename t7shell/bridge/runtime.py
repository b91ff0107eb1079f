"""The Python API: Lua programs and Python sharing values."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar, overload

from t7shell.bridge.state import PythonEngine
from t7shell.bridge.values import LuaTable, unpacked
from t7shell.engine.engine import Engine
from t7shell.engine.errors import T7Error
from t7shell.engine.luajit import INTERPRETED, can_compile
from t7shell.engine.options import DIALECTS
from t7shell.host import encoding, hooks, notices
from t7shell.host.types import checked

Value = TypeVar("Value")


class Globals(LuaTable):
    """The global variables of Lua as a mapping. `lua.globals()` is `lua.globals`."""

    def __call__(self) -> Globals:
        return self


class Runtime:
    """A Lua state with `torch` and its companions.

    >>> with Runtime() as lua:
    ...     lua.execute("x = torch.zeros(2, 3)")
    ...     lua.globals["x"][0, 0] = 7          # a NumPy array on the memory of the tensor
    ...     lua.eval("x[1][1]")
    7

    `dialect` is 't7', 'th', 'torch5' or 'modern'; ValueError for others. `t7shell.bridge.values` lists how
    values are converted. Threads take turns. Ctrl-C ends the call of the main thread with
    KeyboardInterrupt, `stop` for any thread with Stopped; both leave the state usable.
    """

    def __init__(self, dialect: str = "t7") -> None:
        if dialect not in DIALECTS:
            names = ", ".join(map(repr, DIALECTS))
            raise ValueError(f"dialect must be one of {names} (got {dialect!r})")
        notices.become_warnings()
        self._engine: PythonEngine | None = PythonEngine(dialect)
        self._calls = self._engine.calls
        if not can_compile():
            warnings.warn(INTERPRETED, RuntimeWarning, stacklevel=2)
        for prepare in hooks.new_runtime:
            prepare()

    @property
    def engine(self) -> Engine:
        """The Lua state itself. Raises T7Error when the runtime is closed."""
        return self._open()

    def _open(self) -> PythonEngine:
        if self._engine is None:
            raise T7Error("the runtime is closed")
        return self._engine

    def execute(self, source: str | bytes, name: str = "=python") -> Any:
        """Runs a Lua program and returns its result: None, a value or a tuple of values.

        `name` is its name in errors: '@file', '=name', or the source. Raises LuaError, or the exception of a
        Python callback that Lua did not catch.
        """
        _check_text("execute: source", source)
        _check_text("execute: name", name)
        engine = self._open()
        with engine.lock:
            return unpacked(engine.execute(source, name), engine)

    @overload
    def eval(self, expression: str | bytes) -> Any: ...

    @overload
    def eval(self, expression: str | bytes, expected: type[Value]) -> Value: ...

    def eval(self, expression: str | bytes, expected: type[Any] | None = None) -> Any:
        """The value of a Lua expression, or a tuple of the values of several. Raises as `execute` does.

        `expected` is its type, such as `numpy.ndarray`, also for type checkers: a value of another one raises
        TypeError.
        """
        _check_text("eval: expression", expression)
        return checked("eval", self.execute(b"return " + encoding.to_bytes(expression)), expected)

    def require(self, module: str) -> Any:
        """The result of Lua's `require` for a module, usually a table. Raises LuaError."""
        _check_text("require: module", module)
        engine = self._open()
        with engine.lock:
            return unpacked(engine.execute("return require(...)", "=python", args=[module]), engine)

    @property
    def globals(self) -> Globals:
        """The global variables of Lua, a mapping of their names."""
        engine = self._open()
        return Globals(engine.lua.globals(), engine)

    @contextmanager
    def captured(self) -> Iterator[io.StringIO]:
        """Captures Lua's output in the block: `with lua.captured() as out: ...`, then `out.getvalue()`."""
        engine, stream = self._open(), io.StringIO()
        before, engine.destination = engine.destination, stream
        try:
            yield stream
        finally:
            engine.destination = before

    def stop(self) -> bool:
        """Ends a call that another thread is making, which raises Stopped there; false if there is none."""
        return self._calls.stop()

    def close(self) -> None:
        """Releases the state: its memory is freed with the last of its tables, functions and arrays."""
        if self._engine is not None:
            self._engine.finish()
            self._engine.try_call(self._engine.flush)
        self._engine = None

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Runtime cannot be pickled: its Lua state belongs to this process; "
            "its tables, functions and objects can be, and are restored in a state of the reading process"
        )

    def __enter__(self) -> Runtime:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be str or bytes (got {type(value).__name__})")
