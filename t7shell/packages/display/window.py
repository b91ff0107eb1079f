"""Windows with pictures, in a separate process, so that neither the prompt nor a script waits for them.

The process, window_server, reads lines of JSON from a socket: the path of a PNG and its window, or a request
that a window send its signals, or close. Signals are returned as lines of JSON.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections import deque
from typing import Any

# How long the first window may take to open, in seconds.
_TIMEOUT = 10.0
# What the process sends when it can open windows.
READY = b"ready"

# The key of a window, its signal, and the arguments of the signal.
Event = tuple[str, str, list[int | str]]

_connection: socket.socket | None = None
_unread = b""
_events: deque[Event] = deque()


def _start() -> socket.socket | None:
    """The connection to a new process that shows windows; None if it cannot open any."""
    ours, theirs = socket.socketpair()
    try:
        subprocess.Popen(
            [sys.executable, "-m", "t7shell.packages.display.window_server"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        ours.close()
        return None
    finally:
        theirs.close()
    if not select.select([ours], [], [], _TIMEOUT)[0] or ours.recv(16) != READY:
        ours.close()
        return None
    return ours


def _send(message: dict[str, Any]) -> bool:
    """Sends a message, to a new process if the one so far has ended; false if there can be none."""
    global _connection, _unread
    for _ in range(2):
        if _connection is None:
            _connection, _unread = _start(), b""
            if _connection is None:
                return False
        try:
            _connection.send(json.dumps(message).encode() + b"\n", getattr(socket, "MSG_NOSIGNAL", 0))
            return True
        except OSError:
            _connection.close()
            _connection = None
    return False


def show(key: str, title: str, content: bytes) -> bool:
    """Shows a PNG in the window of a key; false if no window can be opened."""
    descriptor, path = tempfile.mkstemp(".png", "t7-window-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    if _send({"key": key, "title": title, "path": path}):
        return True
    os.unlink(path)
    return False


def listen(key: str) -> bool:
    """Has the signals of a window sent, before or after it opens; false if no window can be opened."""
    return _send({"key": key, "listen": True})


def close(key: str) -> None:
    """Closes a window if there is one."""
    if _connection:
        _send({"key": key, "close": True})


def next_event(seconds: float) -> Event | None:
    """The next signal of the windows that are listened to, None if none arrives in some seconds.

    The signal 'ended' of the key '' says that all windows are gone.
    """
    global _connection, _unread
    if not _events and _connection and select.select([_connection], [], [], seconds)[0]:
        try:
            received = _connection.recv(65536)
        except OSError:
            received = b""
        if not received:
            _connection.close()
            _connection = None
            return "", "ended", []
        *lines, _unread = (_unread + received).split(b"\n")
        _events.extend(tuple(json.loads(line)) for line in lines)
    return _events.popleft() if _events else None
