"""Return to the state before a line that cannot be interrupted.

Before such a line runs, the process forks. The new process waits; this one runs the line and then releases
it. When the line has to be aborted, this process becomes a small program by `exec`, which ends the stuck
thread and keeps the process id, and the process that waited continues from before the line. The parent of
`t7` still sees the process that it started, which ends when the other one does.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from contextlib import suppress

from t7shell.engine import process

KEEPER = """
import os, signal, sys
child, pipe = int(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGINT, signal.SIG_IGN)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: os.kill(child, number))
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.write(pipe, b"on")
os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 65536))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def available() -> bool:
    """Tells whether the system can fork, and replace this process by another program."""
    return hasattr(os, "fork") and hasattr(signal, "pthread_sigmask") and bool(sys.executable)


class Checkpoint:
    """A copy of the process from before a line; at most one at a time. `go_back` is for any thread."""

    def __init__(self) -> None:
        self._child = 0
        self._pipe: io.FileIO | None = None
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

    @property
    def taken(self) -> bool:
        return self._pipe is not None

    def take(self) -> bool:
        """Returns false in the process that runs the line; true, later, in the one that continues from here.

        Buffers of C are flushed before, or both processes would write them. Without resources for another
        process or pipe there is no checkpoint.
        """
        self.release()
        self._collect()
        pools = sys.modules.get("t7shell.packages.threads.pool")
        if process.holds_gpu or (pools and pools.alive()):
            # A forked process can use neither the GPU nor the threads.
            return False
        process.flush_all()
        modes = _terminal_modes()
        try:
            reader, writer = map(io.FileIO, os.pipe(), "rw")
        except OSError:
            return False
        try:
            child = os.fork()
        except OSError:
            reader.close()
            writer.close()
            return False
        if child:
            reader.close()
            self._child, self._pipe = child, writer
            return False
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        writer.close()
        self._wait(reader)
        self._child = 0
        _restore_terminal(modes)
        return True

    def _wait(self, reader: io.FileIO) -> None:
        """Returns when the other process aborts its line; ends this one when the line is complete."""
        try:
            if not reader.read(2):
                os._exit(0)
        except BaseException:
            os._exit(0)
        reader.close()

    def release(self) -> None:
        """Releases the checkpoint after the line has completed."""
        pipe, self._pipe = self._pipe, None
        if pipe:
            pipe.close()

    def _collect(self) -> None:
        if self._child:
            with suppress(ChildProcessError):
                os.waitpid(self._child, 0)
            self._child = 0

    def go_back(self) -> None:
        """Aborts the line, from any thread. Returns only if there is no checkpoint to return to."""
        pipe = self._pipe
        if pipe is None:
            return
        process.flush_all()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        os.set_inheritable(pipe.fileno(), True)
        command = [sys.executable, "-I", "-S", "-c", KEEPER, str(self._child), str(pipe.fileno())]
        with suppress(OSError):
            os.execv(sys.executable, command)


def _terminal_modes() -> list[object] | None:
    import termios

    with suppress(OSError, termios.error):
        return list(termios.tcgetattr(0))
    return None


def _restore_terminal(modes: list[object] | None) -> None:
    import termios

    if modes is not None:
        with suppress(OSError, termios.error):
            termios.tcsetattr(0, termios.TCSANOW, modes)  # type: ignore[arg-type]
