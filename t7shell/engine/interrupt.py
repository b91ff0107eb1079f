"""Ctrl-C while Lua runs.

Python's own handler does not run until Lua returns, but lupa gives up the interpreter lock meanwhile, so
another thread can act. It is woken through `signal.set_wakeup_fd`.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Protocol

from t7shell.engine.compiled_loops import CompiledLoops
from t7shell.engine.luajit import binding

# The events of lua.h at which interpreted code calls the hook: calls, lines, and a count of instructions.
# Compiled code checks no hooks, but leaves calls of most C functions to the interpreter.
_EVENTS = 1 | 4 | 8
_DOUBLE_PRESS = 0.3                 # seconds within which a second Ctrl-C counts as the same request
# Ends a system call of the thread that gets it. Ctrl-C does so itself unless it comes just before the call.
_WAKE: int | None = getattr(signal, "SIGURG", None)


# The guards of active calls, by the ids of their threads.
_running: dict[int, list[LuaInterrupter]] = {}


def _nothing() -> None:
    pass


def follow(stop: Callable[[], None]) -> None:
    """Calls a method when Ctrl-C stops the Lua that runs in this thread, while its object lives."""
    guards = _running.get(threading.get_ident())
    if guards:
        guards[0].followers.append(weakref.WeakMethod(stop))


def asked() -> bool:
    """Whether Ctrl-C has been pressed since the Lua that runs in this thread began."""
    return any(guard.requested for guard in _running.get(threading.get_ident(), ()))


def weakly(method: Callable[..., None]) -> Callable[..., None]:
    """A bound method that does not keep its object.

    Lua states in cycles are freed by the collector of Python, in an order in which lupa crashes.
    """
    reference = weakref.WeakMethod(method)

    def call(*args: Any) -> None:
        found = reference()
        if found is not None:
            found(*args)

    return call


class Wakeup:
    """A descriptor for `signal.set_wakeup_fd`: a thread calls a function with the number of each signal."""

    def __init__(self, notice: Callable[[int], None]) -> None:
        self._notice = notice
        self._reader, self.descriptor = os.pipe()
        os.set_blocking(self.descriptor, False)
        # Held while signals are read and passed on.
        self._lock = threading.Lock()
        # Windows can neither poll a pipe nor read it without waiting.
        self._poll: Callable[[], object] = _nothing
        if os.name != "nt":
            os.set_blocking(self._reader, False)
            poll = select.poll()
            poll.register(self._reader, select.POLLIN)
            self._poll = poll.poll
        threading.Thread(target=self._wait, daemon=True).start()

    def flush(self) -> None:
        """Passes on the signals until now. The thread may be late, when something else runs already."""
        if os.name != "nt":
            with self._lock:
                self._pass_on()

    def close(self) -> None:
        """Closes the pipe in a forked process, which does not have the thread."""
        os.close(self._reader)
        os.close(self.descriptor)

    def _wait(self) -> None:
        while True:
            self._poll()
            with self._lock:
                self._pass_on()

    def _pass_on(self) -> None:
        with suppress(BlockingIOError):
            for number in os.read(self._reader, 4096):
                self._notice(number)


class Signals(Protocol):
    """What tells a LuaInterrupter of Ctrl-C: calls `in_thread` from another thread. Ctrl-C that is `pending`
    when Lua begins to run stops it at once.
    """

    in_thread: Callable[[], None]

    @property
    def pending(self) -> bool: ...

    def arm(self) -> None: ...

    def restart(self) -> None: ...


class Watcher:
    """Calls `in_thread` from a separate thread at each Ctrl-C, which is `pending` until the next input. One
    serves the process; it is created in the main thread. An ignored Ctrl-C stays ignored.

    KeyboardInterrupt is raised within `waiting` alone, never between two instructions of the shell that must
    not be separated.
    """

    # That of the process.
    active: Watcher | None = None

    def __init__(self) -> None:
        self.in_thread: Callable[[], None] = _nothing
        self.pending = False
        self._wake: Callable[[], bool] | None = None
        self._wakeup: Wakeup | None = None
        Watcher.active = self
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self.restart()

    def restart(self) -> None:
        """Starts the thread; also after a fork, which does not copy it."""
        if self._wakeup:
            self._wakeup.close()
        self._wakeup = Wakeup(self._notice)
        signal.signal(signal.SIGINT, lambda *_: self._interrupt())
        if _WAKE:
            signal.signal(_WAKE, lambda *_: None)
        self.arm()

    def arm(self) -> None:
        """Restores the wake-up of the thread after an event loop has replaced it."""
        if self._wakeup:
            signal.set_wakeup_fd(self._wakeup.descriptor, warn_on_full_buffer=False)

    def begin_input(self) -> None:
        """Forgets a Ctrl-C that nothing has taken."""
        if self._wakeup:
            self._wakeup.flush()
        self.pending = False

    @contextmanager
    def waiting(self, wake: Callable[[], bool] | None) -> Iterator[None]:
        """The block of the function `waiting`."""
        self._wake = wake or self._raise
        try:
            if self.pending:
                raise KeyboardInterrupt
            yield
        finally:
            self._wake = None

    def _interrupt(self) -> None:
        """In the main thread, once that runs Python code."""
        if not (self._wake and self._wake()):
            self.pending = True

    def _raise(self) -> bool:
        # Once: the exception must reach the end of the block.
        self._wake, self.pending = None, True
        raise KeyboardInterrupt

    def _notice(self, number: int) -> None:
        if number == signal.SIGINT:
            self.in_thread()


def begin_input() -> None:
    """No Ctrl-C until now is for what follows."""
    if Watcher.active:
        Watcher.active.begin_input()


def is_pending() -> bool:
    """Whether there was a Ctrl-C that nothing has taken."""
    return Watcher.active is not None and Watcher.active.pending


def waiting(wake: Callable[[], bool] | None = None) -> AbstractContextManager[None]:
    """In the block, in which Python waits, Ctrl-C raises one KeyboardInterrupt.

    With `wake` it calls that instead, which returns whether the wait will end.
    """
    return Watcher.active.waiting(wake) if Watcher.active else nullcontext()


class LuaInterrupter:
    """Stops Lua at Ctrl-C and leaves the session as it was: the guard of an Engine at the prompt.

    A debug hook raises an error at the next interpreted instruction, inside `pcall` as well, but not during
    work registered with `lua/torch/base/uninterruptible.lua`. A loop compiled into one closed trace does not
    check the hook, nor does a function of C. After `delay` seconds such loops are stopped by `loops`, if
    set. Otherwise, or after the same time again, `explain` is called, and `give_up` at each further Ctrl-C,
    from other threads.
    """

    delay = 0.7      # seconds after which `explain` is called, or compiled loops are stopped
    loops: CompiledLoops | None = None
    insists = False     # whether a call counts as interrupted even if Lua completed

    def __init__(
        self,
        lua: Any,
        watcher: Signals | None,
        give_up: Callable[[], None],
        explain: Callable[[], None] = _nothing,
    ) -> None:
        library = ctypes.CDLL(binding().__file__)
        self._set_hook = library.lua_sethook
        self._set_hook.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        self._set_hook.restype = ctypes.c_int
        self._raise = ctypes.cast(library.luaL_error, ctypes.c_void_p)
        self._hook = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(weakly(self._raise_if_allowed))
        # Hooks are global in LuaJIT, so the address of any coroutine serves as the state. It is determined
        # in Lua, since lupa wraps a coroutine in another object.
        self._anchor, address, state = lua.execute(
            "local thread = coroutine.create(function() end)"
            " local state = require('torch.base.uninterruptible').state"
            " return {thread}, string.format('%p', thread), string.format('%p', state)"
        )
        self._state = int(address, 16)
        self._uninterruptible = ctypes.c_int32.from_address(int(state, 16))
        self._watcher = watcher
        self._give_up = give_up
        self._explain = explain
        self.followers: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._reset()
        if watcher:
            watcher.in_thread = weakly(self._request)

    def _reset(self) -> None:
        # A handler of signals may run within a method.
        self._lock = threading.RLock()
        self._running = False
        self._requested: float | None = None

    @property
    def requested(self) -> bool:
        """Whether Lua that runs is to be stopped."""
        return self._requested is not None

    def restart(self) -> None:
        """Resets the guard in a forked process."""
        self._reset()
        if self._watcher:
            self._watcher.restart()

    def start(self) -> None:
        """Lua begins to run."""
        if self._watcher:
            self._watcher.arm()
        _running.setdefault(threading.get_ident(), []).append(self)
        with self._lock:
            self._thread = threading.get_ident()
            self._running, self._requested = True, None
            self._uninterruptible.value = 0
        if self._watcher and self._watcher.pending:
            self._request()

    def finish(self) -> bool:
        """Lua has returned; true if Ctrl-C was pressed meanwhile."""
        _running[threading.get_ident()].remove(self)
        with self._lock:
            self._running = False
            interrupted = self._requested is not None
            if interrupted:
                self._set_hook(self._state, None, 0, 0)
        if interrupted and self.loops and self.loops.restore():
            self.loops.flush()
        return interrupted

    def set_hook(self) -> None:
        """Raises the error at the next interpreted instruction."""
        self._set_hook(self._state, self._hook, _EVENTS, 1)

    def unhook(self) -> None:
        """Removes a debug hook of the program that prevents all Lua from running."""
        self._set_hook(self._state, None, 0, 0)

    def request(self) -> None:
        """Stops the Lua that runs, as Ctrl-C does."""
        self._request()

    def _request(self) -> None:
        with self._lock:
            if not self._running:
                return
            now = time.monotonic()
            if self._requested is None:
                self._requested = now
                self.followers = [stop for stop in self.followers if stop() is not None]
                for reference in self.followers:
                    stop = reference()
                    if stop is not None:
                        stop()
                self.set_hook()
                self._check_later(0)
            elif now - self._requested >= _DOUBLE_PRESS:
                # With the lock held, so that Lua cannot return in between.
                self._give_up()

    def _raise_if_allowed(self, _state: int, _event: int) -> None:
        """The hook: in the thread of Lua, before an instruction."""
        if self._uninterruptible.value == 0:
            self._set_hook(self._state, self._raise, _EVENTS, 1)

    def _check_later(self, attempts: int) -> None:
        timer = threading.Timer(self.delay, self._still_running, (self._requested, attempts))
        timer.daemon = True
        timer.start()

    def _still_running(self, since: float | None, attempts: int) -> None:
        # With the lock held, so that the call cannot return meanwhile.
        with self._lock:
            if not self._running or self._requested != since:
                return
            if _WAKE:
                signal.pthread_kill(self._thread, _WAKE)
            if self.loops:
                if self._may_write_code():
                    # Code that returns from a trace must reach the hook.
                    self.set_hook()
                    self.loops.stop()
                self._check_later(attempts + 1)
            if attempts == (1 if self.loops else 0):
                self._explain()

    def _may_write_code(self) -> bool:
        return self._uninterruptible.value == 0
