"""The Lua states of programs in Python: that of a Runtime, and those of a thread's pickles."""

from __future__ import annotations

import sys
import threading
from typing import Any, TextIO

from t7shell.engine.calls import CallGuard
from t7shell.engine.engine import Engine
from t7shell.engine.result import Result
from t7shell.host import encoding

_states = threading.local()


class PythonEngine(Engine):
    """An engine of a program in Python: its output goes to `sys.stdout`, and Ctrl-C ends its calls."""

    destination: TextIO | None = None  # captures the output
    _redirected: TextIO | None = None

    def __init__(self, dialect: str) -> None:
        super().__init__(dialect)
        # Its line is drawn on the error stream, which is the program's.
        self.helper("torch.base.progress").disable()
        # Errors have the line that failed.
        self.helper("shell.last_error")[b"keep"] = b"lines"
        self.guard = self.calls = CallGuard(self)

    def call_for_record(self, function: Any, *args: Any) -> Result:
        self._direct()
        try:
            return super().call_for_record(function, *args)
        finally:
            if self._redirected is None:
                self.try_call(self._output.flush)

    def _direct(self) -> None:
        """Writes Lua's output to Python's `sys.stdout` if a program has replaced that."""
        stream = self.destination or (None if sys.stdout is sys.__stdout__ else sys.stdout)
        if stream is None and sys.stdout is not None:
            sys.stdout.flush()
        if stream is self._redirected:
            return
        self._redirected = stream
        if stream is None:
            self.redirect(None)
        else:
            self.redirect(lambda text: encoding.write(encoding.from_lua(text), stream))


def of_thread(dialect: str) -> PythonEngine:
    """The state of this thread for values of pickles, which is made on first use."""
    engines: dict[str, PythonEngine] = _states.__dict__.setdefault("engines", {})
    if dialect not in engines:
        engines[dialect] = PythonEngine(dialect)
    return engines[dialect]
