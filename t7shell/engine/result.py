"""The outcome of one piece of Lua source."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from t7shell.engine.errors import LuaError
from t7shell.host import encoding
from t7shell.host.system import NO_MEMORY


class Status(Enum):
    OK = "ok"
    INCOMPLETE = "incomplete"
    SYNTAX_ERROR = "syntax"
    ERROR = "error"
    INTERRUPTED = "interrupted"


class Result:
    """The outcome of `Engine.execute`.

    `values` are the `count` Lua values from lupa, trailing nils included. `silent` is true for an input that
    ended in `;`. `record` is the record of `lua/shell/evaluate.lua`. After an error `message` and `traceback`
    are text, `exception` is the Python exception if a callback raised one, and `raised` is the Lua value.
    """

    def __init__(
        self,
        status: Status,
        values: Sequence[Any] = (),
        *,
        silent: bool = False,
        record: Any = None,
        message: str = "",
        traceback: str = "",
        exception: BaseException | None = None,
        raised: Any = None,
    ) -> None:
        self.status = status
        self.values = list(values)
        self.silent = silent
        self.record = record
        self.message = message
        self.traceback = traceback
        self.exception = exception
        self.raised = raised

    @property
    def ok(self) -> bool:
        return self.status is Status.OK

    @property
    def count(self) -> int:
        return len(self.values)

    def report(self) -> str:
        """The message, followed by the traceback if there is one."""
        if not self.traceback:
            return self.message
        return f"{self.message}\nstack traceback:\n{self.traceback}"

    def raise_for_status(self) -> None:
        """Raises the error of the program: a Python exception unchanged, any other as `LuaError`."""
        if self.ok:
            return
        if self.exception is not None:
            raise self.exception
        if self.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        raise LuaError(self.message, self.traceback)


def of_record(record: Any) -> Result:
    """A Result of what a function of `lua/shell/evaluate.lua` returns: true and values, or a record."""
    if record is True:
        return Result(Status.OK)
    if isinstance(record, tuple):
        return Result(Status.OK, record[1:])
    status = Status(record["status"])
    if status is Status.OK:
        values = record["values"]
        if values is None:
            return Result(status, record=record)
        count = values["n"]
        found = [values[i] for i in range(1, count + 1)]
        return Result(status, found, silent=bool(record["silent"]), record=record)
    if status is not Status.ERROR:
        return Result(status, record=record, message=encoding.from_lua(record["message"]))
    traceback = encoding.from_lua(record["traceback"])
    raised = record["object"]
    if isinstance(raised, SystemExit):
        raise raised
    if isinstance(raised, BaseException):
        where = encoding.from_lua(record["where"])
        # Python's MemoryError has no text.
        problem = NO_MEMORY if type(raised) is MemoryError else f"{type(raised).__name__}: {raised}"
        message = f"{where}{problem}"
        return Result(status, record=record, message=message, traceback=traceback, exception=raised)
    message = encoding.from_lua(record["message"])
    return Result(status, record=record, message=message, traceback=traceback, raised=raised)
