"""Calls of Lua from Python, which Ctrl-C ends with KeyboardInterrupt, and `stop` from any thread.

Python's own handler of signals does not run until Lua returns. While the main thread runs Lua, a thread is
woken through `signal.set_wakeup_fd` instead; between the calls nothing of the process's signals is changed.
"""

from __future__ import annotations

import _signal
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from t7shell.engine.compiled_loops import CompiledLoops
from t7shell.engine.errors import Stopped
from t7shell.engine.interrupt import LuaInterrupter, Wakeup

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine

# `_signal` has the functions of `signal`, which make an enumeration of each number, at 10 us a call.
_SIGINT = int(signal.SIGINT)
_DELAY = 0.2         # seconds until compiled loops are stopped, and between two attempts


class _Signals:
    """SIGINT while the main thread runs Lua for Python; one for the process."""

    def __init__(self) -> None:
        self._running: list[CallGuard] = []
        self._wakeup: Wakeup | None = None
        self._before = -1
        self._handler: Any = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def begin(self, guard: CallGuard) -> None:
        """The main thread begins an outermost call of a state."""
        self._running.append(guard)
        handler = _signal.getsignal(_SIGINT)
        if len(self._running) > 1 or not callable(handler):
            return
        if self._wakeup is None:
            self._wakeup = Wakeup(self._notice)
        self._handler = _signal.signal(_SIGINT, self._handle)
        self._before = _signal.set_wakeup_fd(self._wakeup.descriptor, warn_on_full_buffer=False)

    def end(self, guard: CallGuard) -> None:
        """The call has returned."""
        if len(self._running) == 1 and self._handler is not None:
            _signal.set_wakeup_fd(self._before)
            _signal.signal(_SIGINT, self._handler)
            self._handler = None
        self._running.remove(guard)
        if guard.noticed and not self._running and self._wakeup:
            self._wakeup.flush()

    def _handle(self, _number: int, _frame: Any) -> None:
        """Python's handler: it runs in callbacks, or after Lua has returned; `finish` then reports it."""
        guard = self._running[-1]
        if guard.in_python:
            # Lua must not continue after catching this.
            guard.interrupt()
            raise KeyboardInterrupt
        guard.noticed = True

    def _notice(self, number: int) -> None:
        running = self._running[-1:]
        if number == _SIGINT and running:
            running[0].interrupt()
        if self._before >= 0:
            # An event loop may wait for the same signals.
            os.write(self._before, bytes([number]))

    def _forked(self) -> None:
        """A child process lacks the thread, and its pipe is that of the parent."""
        self._running.clear()
        self._wakeup = None


_signals = _Signals()


class CallGuard(LuaInterrupter):
    """The guard of an Engine that Python calls."""

    delay = _DELAY
    insists = True

    def __init__(self, engine: Engine) -> None:
        self.loops = CompiledLoops(engine)
        self._callbacks: list[int] = []     # of the calls around each active call
        self._stopped = False
        self._in_main = False
        self.noticed = False    # Ctrl-C came after Lua had returned
        self.in_python = 0      # callbacks that run within the innermost call
        # `_Signals` watches for Ctrl-C.
        super().__init__(engine.lua, None, lambda: None)

    def start(self) -> None:
        self._callbacks.append(self.in_python)
        self.in_python = 0
        if len(self._callbacks) > 1:
            return
        self._stopped = self.noticed = False
        super().start()
        self._in_main = threading.current_thread() is threading.main_thread()
        if self._in_main:
            _signals.begin(self)

    def finish(self) -> bool:
        self.in_python = self._callbacks.pop()
        if self._callbacks:
            return self._requested is not None
        interrupted = super().finish()
        if self._in_main:
            _signals.end(self)
        return interrupted or self.noticed

    def unhook(self) -> None:
        """Keeps the hook of an interruption until the outermost call has returned."""
        if self._requested is None:
            super().unhook()

    def reason(self) -> BaseException:
        """The exception for a call that was interrupted."""
        return Stopped("stopped by Runtime.stop()") if self._stopped else KeyboardInterrupt()

    def interrupt(self) -> None:
        """Ends the active call, if there is one, as Ctrl-C does. From any thread."""
        self._request()

    def stop(self) -> bool:
        """Ends the active call; false if there is none. From any thread."""
        with self._lock:
            if not self._running:
                return False
            self._stopped = True
        self._request()
        return True

    @contextmanager
    def python(self) -> Iterator[None]:
        """While a callback of Python runs, Ctrl-C is an exception there."""
        self.in_python += 1
        try:
            yield
        finally:
            self.in_python -= 1

    def _may_write_code(self) -> bool:
        # A call within a callback continues compiling while it is interrupted: its code must not be patched.
        return super()._may_write_code() and not self.in_python and len(self._callbacks) == 1
