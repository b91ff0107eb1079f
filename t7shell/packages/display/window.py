"""Windows with pictures, in a separate process, so that neither the prompt nor a script waits for them.

The process reads lines of JSON from a socket: the path of a PNG and its window, or a request that a window
send its signals, or close. Signals are returned as lines of JSON. Windows stay open after the program that
opened them has ended, until the user closes them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from typing import Any

from t7shell.packages.display import signals

# How long the first window may take to open, in seconds.
_TIMEOUT = 10.0
_READY = b"ready"
# A signal is dropped if it cannot be sent within this number of seconds.
_HURRY = 0.05

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
            [sys.executable, "-m", "t7shell.packages.display.window"],
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
    if not select.select([ours], [], [], _TIMEOUT)[0] or ours.recv(16) != _READY:
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


def serve(connection: socket.socket) -> None:
    """Serves a connection until it has ended and all windows are closed."""
    import tkinter

    root = tkinter.Tk()
    root.withdraw()
    windows: dict[str, tuple[Any, Any]] = {}
    listened: set[str] = set()
    requests: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def read() -> None:
        with connection.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                requests.put(json.loads(line))
        requests.put(None)

    ended = False

    def send(key: str, signal: str, arguments: list[int | str]) -> None:
        if key not in listened or ended:
            return
        line = json.dumps([key, signal, arguments]).encode() + b"\n"
        # Windows must not block on a program that does not read.
        if select.select([], [connection], [], _HURRY)[1]:
            with contextlib.suppress(OSError):
                connection.send(line, getattr(socket, "MSG_NOSIGNAL", 0))

    def carry_out(request: dict[str, Any]) -> None:
        key = request["key"]
        if "listen" in request:
            listened.add(key)
        elif "close" in request:
            window, _ = windows.get(key, (None, None))
            if window is not None and window.winfo_exists():
                window.destroy()
        else:
            draw(request)

    def draw(request: dict[str, Any]) -> None:
        key, path = request["key"], request["path"]
        try:
            picture = tkinter.PhotoImage(file=path)
        except tkinter.TclError:
            return
        finally:
            os.unlink(path)
        window, label = windows.get(key, (None, None))
        if window is None or not window.winfo_exists():
            window = tkinter.Toplevel(root)
            label = tkinter.Label(window, borderwidth=0)
            label.pack()
            signals.bind(window, label, functools.partial(send, key))
            windows[key] = (window, label)
        window.title(request["title"])
        label.configure(image=picture)
        label.image = picture

    def poll() -> None:
        nonlocal ended
        while not requests.empty():
            request = requests.get()
            if request is None:
                ended = True
            else:
                carry_out(request)
        if ended and not any(window.winfo_exists() for window, _ in windows.values()):
            root.destroy()
        else:
            root.after(30, poll)

    connection.send(_READY)
    threading.Thread(target=read, daemon=True).start()
    poll()
    root.mainloop()


if __name__ == "__main__":
    serve(socket.socket(fileno=os.dup(0)))
