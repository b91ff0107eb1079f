"""Processes of t7 and the messages between a parent and its children, over pairs of sockets.

Sending never waits: a thread writes the queued messages, so that two processes which send each other large
messages do not block each other. A child ends when its parent has ended.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

from t7shell.engine import process

_PROGRAM = "import sys; sys.path[:] = {path!r}; from t7shell.cli.main import main; sys.exit(main())"
_TIMEOUT = 2.0  # seconds for a child to end after its parent has closed its side

_children: set[Child] = set()


class Peer:
    """One end of a connection. Messages are bytes."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self.connection = connection
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="t7 parallel", daemon=True)
        self._writer.start()

    def send(self, data: bytes) -> None:
        """Queues a message."""
        self._queue.put(data)

    def receive(self, wait: bool) -> bytes | None:
        """The next message; None if there is none and `wait` is false. Raises EOFError and OSError."""
        if not wait and not self.connection.poll():
            return None
        return self.connection.recv_bytes()

    def finish(self) -> None:
        """Waits until all that was queued is written."""
        self._queue.put(None)
        self._writer.join()

    def _write(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            # Otherwise SIGPIPE would end this process when the other one has ended.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        while (data := self._queue.get()) is not None:
            with suppress(OSError):
                self.connection.send_bytes(data)


class Parent(Peer):
    """The parent of this process. A thread reads from it, and ends this process when the parent has ended."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        super().__init__(connection)
        self._arrived: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, name="t7 parallel", daemon=True).start()
        atexit.register(self.finish)

    def receive(self, wait: bool) -> bytes | None:
        try:
            return self._arrived.get(wait)
        except Empty:
            return None

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._arrived.put(self.connection.recv_bytes())
        process.flush_all()
        os._exit(0)


class Child(Peer):
    """A process that this one has started."""

    def __init__(self, dialect: str) -> None:
        ours, its = socket.socketpair()
        arguments = ["--dialect", dialect, "-e", f"require('parallel.child')({its.fileno()})"]
        program = _PROGRAM.format(path=sys.path)
        with its:
            self.process = subprocess.Popen(
                [sys.executable, "-c", program, *arguments], stdin=subprocess.DEVNULL, pass_fds=[its.fileno()]
            )
        super().__init__(Connection(ours.detach()))
        _children.add(self)

    def close(self) -> None:
        """Ends the process: closes its connection, and kills it if it does not end."""
        if self not in _children:
            return
        _children.discard(self)
        self._queue.put(None)
        # A writer that is blocked by a child which does not read returns when the connection ends.
        with suppress(OSError), socket.socket(fileno=os.dup(self.connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
        try:
            self.process.wait(_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._writer.join()
        self.connection.close()


@atexit.register
def _close_all() -> None:
    for child in list(_children):
        child.close()


def start(dialect: str) -> Child | tuple[None, str]:
    """Starts a process."""
    if not hasattr(os, "fork"):
        return None, "this system cannot hand sockets to processes"
    try:
        return Child(dialect)
    except OSError as reason:
        return None, str(reason.strerror)


def attach(descriptor: float) -> Parent:
    """The connection to the process that started this one."""
    return Parent(Connection(int(descriptor)))


def send(peer: Peer, address: float, count: float) -> None:
    """Queues a copy of memory; never waits."""
    peer.send(ctypes.string_at(int(address), int(count)))


def receive(peer: Peer, wait: bool) -> Any:
    """The next message; None if there is none, or (None, the reason) if there will be none."""
    try:
        return peer.receive(wait)
    except (EOFError, OSError):
        if not isinstance(peer, Child):
            return None, "the parent has ended"
        with suppress(subprocess.TimeoutExpired):
            peer.process.wait(_TIMEOUT)
        status = peer.process.returncode
        if status is None:
            return None, "it was closed"
        return None, f"it ended with status {status}" if status >= 0 else f"it was ended by signal {-status}"


def alive(peer: Child) -> bool:
    """Whether the process runs."""
    return peer in _children and peer.process.poll() is None


def close(peer: Child) -> None:
    """Ends the process."""
    peer.close()
