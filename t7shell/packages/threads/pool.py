"""Threads with an engine each: those of pools, and those that run one program.

lupa releases the interpreter lock while Lua runs, and jobs cross through C memory, so threads need the lock
only for calls into Python. An engine is created in its thread and used by no other one.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
from itertools import count as counting
from typing import TYPE_CHECKING, NamedTuple

from t7shell.engine import interrupt, process
from t7shell.engine.result import Status
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.calls import CallGuard
    from t7shell.engine.engine import Engine

_numbers = counting(1)
_pools: dict[int, Pool] = {}
_programs: dict[int, Program] = {}


class Settings(NamedTuple):
    """The settings that the engines of threads share with the one that starts them."""

    dialect: str
    path: str
    cpath: str

    def engine(self) -> Engine:
        from t7shell.engine.calls import CallGuard
        from t7shell.engine.engine import Engine

        engine = Engine(self.dialect, on_exit=process.end)
        package = engine.lua.globals().package
        package.path, package.cpath = self.path, self.cpath
        engine.guard = CallGuard(engine)
        engine.helper("shell.breakpoints").reject("a thread")
        return engine


class Pool:
    """A pool of threads that take jobs from one queue and put results into another.

    The first of its flags is set by Ctrl-C, and the next ones for threads that have not noticed it yet. The
    last two are the number of threads that have failed, and whether the queue of jobs was closed.
    """

    def __init__(self, jobs: int, results: int, count: int, scheme: str, settings: Settings) -> None:
        self.flags = (ctypes.c_double * (count + 3))()
        self.failure = ""
        self._queues, self._scheme, self._settings = (jobs, results), scheme, settings
        self._guards: dict[int, CallGuard] = {}
        self._started = threading.Semaphore(0)
        self._threads = [
            threading.Thread(target=self._run, args=(index,), name=f"t7 thread {index}", daemon=True)
            for index in range(1, count + 1)
        ]

    def start(self) -> bool:
        """Starts the threads, and waits until each has its engine; false if one has none."""
        begun = 0
        try:
            for thread in self._threads:
                thread.start()
                begun += 1
        except RuntimeError as reason:
            self.failure = str(reason)
        for _ in range(begun):
            self._started.acquire()
        return not self.failure

    def join(self) -> None:
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def join_closed(self, deadline: float) -> None:
        """Waits until a time for threads that end by themselves."""
        for thread in self._threads if self.flags[len(self._threads) + 2] else ():
            if thread.ident is not None and thread is not threading.current_thread():
                thread.join(max(0, deadline - time.monotonic()))

    def interrupt(self) -> None:
        """Stops all jobs, from any thread."""
        self.flags[0] = 1
        for index, guard in list(self._guards.items()):
            self.flags[index] = 1
            guard.interrupt()

    def alive(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def _run(self, index: int) -> None:
        count, address = len(self._threads), ctypes.addressof(self.flags)
        try:
            engine = self._settings.engine()
            worker = engine.helper("threads.worker")
            worker.start(*self._queues, index, count, address, self._scheme)
            guard = self._guards[index] = engine.guard  # type: ignore[assignment]
        except Exception as reason:
            self.failure = self.failure or f"{type(reason).__name__}: {reason}"
            return
        finally:
            self._started.release()
        while (result := engine.call(worker.run)).status is Status.INTERRUPTED:
            # The worker reports it when it is called again.
            pass
        if not result.ok:
            self.flags[count + 1] += 1
        del self._guards[index], guard, worker


class Program:
    """A thread that runs one program."""

    def __init__(self, source: str, settings: Settings) -> None:
        self.failure = ""
        self._guard: CallGuard | None = None
        self.thread = threading.Thread(target=self._run, args=(source, settings), daemon=True)

    def _run(self, source: str, settings: Settings) -> None:
        try:
            engine = settings.engine()
            self._guard = engine.guard  # type: ignore[assignment]
            result = engine.execute(encoding.to_bytes(source), "=thread")
            engine.flush()
            self.failure = "" if result.ok else result.report()
        except Exception as reason:
            self.failure = f"{type(reason).__name__}: {reason}"

    def interrupt(self) -> None:
        """Stops the program, from any thread."""
        if self._guard:
            self._guard.interrupt()


def start_pool(
    jobs: float, results: float, count: float, scheme: str, dialect: str, path: str, cpath: str
) -> tuple[int | None, int | str]:
    """Starts a pool for two queues: (its number, the address of its flags), or (None, message)."""
    pool = Pool(int(jobs), int(results), int(count), scheme, Settings(dialect, path, cpath))
    for number in [number for number, other in _pools.items() if not other.alive()]:
        del _pools[number]
    if not pool.start():
        return None, pool.failure
    number = next(_numbers)
    _pools[number] = pool
    interrupt.follow(pool.interrupt)
    return number, ctypes.addressof(pool.flags)


def join_pool(number: float) -> None:
    """Waits until the threads of a pool, whose queue of jobs was closed, have ended."""
    pool = _pools.pop(int(number), None)
    if pool:
        pool.join()


def alive() -> bool:
    """Tells whether there are threads: a forked process would miss them."""
    programs = (program.thread.is_alive() for program in _programs.values())
    return any(pool.alive() for pool in _pools.values()) or any(programs)


@atexit.register
def _join_closed() -> None:
    """Waits up to a second for threads that are ending, since they cannot call Python after its end."""
    deadline = time.monotonic() + 1
    for pool in list(_pools.values()):
        pool.join_closed(deadline)


def start_thread(source: str, dialect: str, path: str, cpath: str) -> tuple[int | None, str]:
    """Runs a program in a thread: (the number of the thread, ''), or (None, message)."""
    program = Program(source, Settings(dialect, path, cpath))
    try:
        program.thread.start()
    except RuntimeError as reason:
        return None, str(reason)
    number = next(_numbers)
    _programs[number] = program
    interrupt.follow(program.interrupt)
    return number, ""


def join_thread(number: float) -> str | None:
    """Waits for the program of a thread; returns why it failed."""
    program = _programs.pop(int(number))
    program.thread.join()
    return program.failure or None
