"""The process of window.py: shows windows until its program has ended and the user has closed them all."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import select
import socket
import threading
import tkinter
from typing import Any

from t7shell.packages.display import signals
from t7shell.packages.display.window import READY

# A signal is dropped if it cannot be sent within this number of seconds.
_SEND_TIMEOUT = 0.05


class _Server:
    """The windows of the program at the other end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._root = tkinter.Tk()
        self._root.withdraw()
        self._windows: dict[str, tuple[tkinter.Toplevel, tkinter.Label]] = {}
        self._listened: set[str] = set()
        # None says that the program has ended.
        self._requests: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._ended = False

    def run(self) -> None:
        """Serves the connection until it has ended and all windows are closed."""
        self._connection.send(READY)
        threading.Thread(target=self._read, daemon=True).start()
        self._poll()
        self._root.mainloop()

    def _read(self) -> None:
        with self._connection.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                self._requests.put(json.loads(line))
        self._requests.put(None)

    def _poll(self) -> None:
        while not self._requests.empty():
            request = self._requests.get()
            if request is None:
                self._ended = True
            else:
                self._carry_out(request)
        if self._ended and not any(window.winfo_exists() for window, _ in self._windows.values()):
            self._root.destroy()
        else:
            self._root.after(30, self._poll)

    def _carry_out(self, request: dict[str, Any]) -> None:
        key = request["key"]
        if "listen" in request:
            self._listened.add(key)
        elif "close" in request:
            window, _ = self._windows.get(key, (None, None))
            if window is not None and window.winfo_exists():
                window.destroy()
        else:
            self._draw(key, request["title"], request["path"])

    def _draw(self, key: str, title: str, path: str) -> None:
        try:
            picture = tkinter.PhotoImage(file=path)
        except tkinter.TclError:
            return
        finally:
            os.unlink(path)
        window, label = self._windows.get(key, (None, None))
        if window is None or label is None or not window.winfo_exists():
            window = tkinter.Toplevel(self._root)
            label = tkinter.Label(window, borderwidth=0)
            label.pack()
            signals.bind(window, label, functools.partial(self._send, key))
            self._windows[key] = (window, label)
        window.title(title)
        label.configure(image=picture)
        # Tk shows the picture only as long as Python keeps it.
        label.image = picture  # type: ignore[attr-defined]

    def _send(self, key: str, signal: str, arguments: list[int | str]) -> None:
        if key not in self._listened or self._ended:
            return
        line = json.dumps([key, signal, arguments]).encode() + b"\n"
        # Windows must not block on a program that does not read.
        if select.select([], [self._connection], [], _SEND_TIMEOUT)[1]:
            with contextlib.suppress(OSError):
                self._connection.send(line, getattr(socket, "MSG_NOSIGNAL", 0))


if __name__ == "__main__":
    _Server(socket.socket(fileno=os.dup(0))).run()
