"""Connections over TCP that carry tensors and values of Lua.

Both sides begin with `GREETING`. A message is a head and a body: the length of the head in 4 bytes; the type
of the elements, a space and the sizes, or nothing for a value that `torch.serialize` wrote; the length of the
body in 8 bytes; the body. Numbers are little-endian, elements as they lie in memory.
"""

from __future__ import annotations

import ctypes
import re
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from t7shell.host.failures import message, returning_failures, returning_reasons, text_of
from t7shell.packages.ipc.waiter import ConnectionFailure, Waiter

GREETING = b"t7 ipc 1" if sys.byteorder == "little" else b"t7 ipc b"
_LARGEST_HEAD = 4096
_TIMEOUT = 5.0  # seconds for the greeting of the other side
_MAX_GUESTS = 64  # clients whose greeting has not arrived
_PAUSE = 0.05  # seconds between two attempts to connect
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
_HEAD = re.compile(rb"([A-Z][A-Za-z]+)((?: \d{1,15}){1,64})")

_DAMAGED = "the received bytes are not a message of ipc"
_FOREIGN = "the other side does not run ipc"


class Connection:
    """One end of a connection; `sent` and `received` count bytes.

    The other side has until `greeting_until` to greet.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket, self._waiter = end, Waiter()
        self.sent = self.received = 0
        self._greeting = b""
        self.greeting_until = time.monotonic() + _TIMEOUT
        self._head: tuple[Any, ...] | None = None
        end.setblocking(False)
        with suppress(OSError):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def greet(self) -> None:
        """Exchanges greetings. Raises ConnectionFailure if the other side has another protocol."""
        self.send_greeting()
        while not self.is_greeted():
            self._waiter.wait(self.socket, until=self.greeting_until)

    def send_greeting(self) -> None:
        """Begins the exchange of greetings."""
        self._write(memoryview(GREETING))

    def is_greeted(self) -> bool:
        """Tells whether the other side's greeting has arrived, without waiting.

        Raises ConnectionFailure if it has another protocol, or took too long.
        """
        try:
            found = self.socket.recv(len(GREETING) - len(self._greeting))
        except BlockingIOError:
            if time.monotonic() >= self.greeting_until:
                raise ConnectionFailure(_FOREIGN) from None
            return False
        self._greeting += found
        self.received += len(found)
        if not found or not GREETING.startswith(self._greeting):
            raise ConnectionFailure(_FOREIGN)
        return self._greeting == GREETING

    def send(self, head: bytes, body: memoryview) -> None:
        """Sends a message; waits while the other side does not read."""
        self._write(memoryview(struct.pack("<I", len(head)) + head + struct.pack("<Q", len(body))))
        with self._unbroken():
            self._write(body)

    def head(self) -> tuple[Any, ...]:
        """The type, the bytes and the sizes of the next message; the same until its body is read."""
        if self._head is None:
            (length,) = struct.unpack("<I", self._bytes(4))
            with self._unbroken():
                if length > _LARGEST_HEAD:
                    raise ConnectionFailure(_DAMAGED)
                text = self._bytes(length)
                (size,) = struct.unpack("<Q", self._bytes(8))
                found = _HEAD.fullmatch(text)
                if (text and not found) or size >= 2**53:
                    raise ConnectionFailure(_DAMAGED)
            sizes = tuple(map(int, found[2].split())) if found else ()
            self._head = (found[1].decode() if found else "", size, *sizes)
        return self._head

    def body(self, into: memoryview) -> None:
        """Reads the body of a message into memory of its length."""
        self._read(into)
        self._head = None

    @property
    def has_head(self) -> bool:
        return self._head is not None

    def _bytes(self, count: int) -> bytearray:
        found = bytearray(count)
        self._read(memoryview(found))
        return found

    @contextmanager
    def _unbroken(self, begun: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """Closes the connection if a message fails after it has `begun`, since its rest would be misread."""
        try:
            yield
        except OSError as reason:
            self.close()
            raise ConnectionFailure(text_of(reason)) from None
        except ConnectionFailure:
            if begun():
                self.close()
            raise

    def _write(self, data: memoryview) -> None:
        before = self.sent
        with self._unbroken(lambda: self.sent > before):
            while data:
                try:
                    count = self.socket.send(data, _NO_SIGNAL)
                except BlockingIOError:
                    self._waiter.wait(self.socket, writing=True)
                    continue
                self.sent += count
                data = data[count:]

    def _read(self, into: memoryview) -> None:
        before = self.received
        with self._unbroken(lambda: self.received > before):
            while into:
                try:
                    count = self.socket.recv_into(into)
                except BlockingIOError:
                    self._waiter.wait(self.socket)
                    continue
                if count == 0:
                    self.close()
                    raise ConnectionFailure("the other side has closed the connection")
                self.received += count
                into = into[count:]

    @property
    def socket(self) -> socket.socket:
        if self._socket.fileno() < 0:
            raise ConnectionFailure("the connection is closed")
        return self._socket

    def close(self) -> None:
        self._socket.close()


class Listener:
    """The port of a server."""

    def __init__(self, host: str, port: int) -> None:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        self.socket, self._waiter = socket.socket(family, kind, protocol), Waiter()
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(address)
            self.socket.listen(1024)
        except OSError:
            self.socket.close()
            raise
        self.socket.setblocking(False)
        # Clients that have not greeted yet, in the order in which they came.
        self._guests: list[Connection] = []

    def accept(self) -> Connection:
        """Waits for the next client that greets; those with another protocol are rejected.

        Silent clients delay nobody: the greetings of all are awaited together.
        """
        while True:
            if self.socket.fileno() < 0:
                raise ConnectionFailure("the server is closed")
            self._admit()
            for guest in list(self._guests):
                try:
                    if not guest.is_greeted():
                        continue
                except (ConnectionFailure, OSError):
                    guest.close()
                    self._guests.remove(guest)
                    continue
                self._guests.remove(guest)
                return guest
            # The first of them times out first.
            until = self._guests[0].greeting_until if self._guests else None
            self._waiter.wait(self.socket, *(guest.socket for guest in self._guests), until=until)

    def _admit(self) -> None:
        """Greets the clients that have connected. Of many silent ones the oldest are rejected."""
        while True:
            try:
                guest = Connection(self.socket.accept()[0])
            except BlockingIOError:
                return
            try:
                guest.send_greeting()
            except ConnectionFailure:
                guest.close()
                continue
            self._guests.append(guest)
            if len(self._guests) > _MAX_GUESTS:
                self._guests.pop(0).close()

    def close(self) -> None:
        self.socket.close()
        for guest in self._guests:
            guest.close()


_failing = returning_failures(ConnectionFailure, OSError)


def listen(host: str, port: float) -> tuple[Any, ...]:
    """Opens a port, any free one for 0: (listener, port), or (None, message)."""
    try:
        listener = Listener(host, int(port))
    except (OSError, UnicodeError) as reason:
        return None, f"{host}:{int(port)}: {message(reason)}"
    return listener, listener.socket.getsockname()[1]


@_failing
def accept(listener: Listener) -> Connection:
    """The connection of the next client."""
    return listener.accept()


def connect(host: str, port: float, seconds: float) -> Connection | tuple[None, str]:
    """Connects to a server, which may start to listen within a number of seconds."""
    where = f"{host}:{int(port)}"
    until = time.monotonic() + seconds
    pause = Waiter()
    while True:
        try:
            left = max(0.05, until - time.monotonic())
            connection = Connection(socket.create_connection((host, int(port)), left))
            connection.greet()
            return connection
        except ConnectionRefusedError as reason:
            now = time.monotonic()
            if now >= until:
                return None, f"{where}: {message(reason)}"
            try:
                pause.wait(until=min(now + _PAUSE, until))
            except ConnectionFailure as stopped:
                return None, str(stopped)
        except (OSError, UnicodeError, ConnectionFailure) as reason:
            return None, f"{where}: {message(reason)}"


def _memory(address: float, count: float) -> memoryview:
    if count == 0:
        return memoryview(b"")
    return memoryview((ctypes.c_char * int(count)).from_address(int(address))).cast("B")


@returning_reasons(ConnectionFailure)
def send(connection: Connection, kind: str, address: float, count: float, *sizes: float) -> None:
    """Sends a tensor of a type ('Double') and sizes, or with the type '' the bytes of a value."""
    head = " ".join([kind, *(str(int(size)) for size in sizes)]).encode() if kind else b""
    connection.send(head, _memory(address, count))


@_failing
def head(connection: Connection) -> tuple[Any, ...]:
    """Waits for the next message: (type, bytes, sizes ...)."""
    return connection.head()


@returning_reasons(ConnectionFailure)
def body(connection: Connection, address: float, count: float) -> None:
    """Reads the body of the message that `head` announced into memory."""
    connection.body(_memory(address, count))


_turn = 0


@_failing
def ready(*connections: Connection) -> int:
    """Waits for a connection that has data to receive, or has ended; returns its index from 1.

    The search begins at another connection each time.
    """
    global _turn
    _turn += 1
    order = [(_turn + i) % len(connections) for i in range(len(connections))]
    for i in order:
        if connections[i].has_head:
            return i + 1
    found = connections[0]._waiter.wait(*(each.socket for each in connections))
    return next(i + 1 for i in order if connections[i].socket.fileno() in found)


def traffic(connection: Connection) -> tuple[int, int]:
    """Bytes sent and received."""
    return connection.sent, connection.received


def close(end: Connection | Listener) -> None:
    """Closes a connection or a port."""
    end.close()
