"""Windows with pictures, in a separate process, so that neither the prompt nor a script waits for them.

The process reads lines of JSON from a socket: where a PNG lies, and in which window to show it. Windows stay
after the program that opened them has ended, until they are closed.
"""

from __future__ import annotations

import json
import os
import queue
import select
import socket
import subprocess
import sys
import tempfile
import threading
from typing import Any

# How long the first window may take to open, in seconds.
_PATIENCE = 10.0
_READY = b"ready"

_connection: socket.socket | None = None


def _start() -> socket.socket | None:
    """The connection to a new process that shows windows; None where it cannot open any."""
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
    if not select.select([ours], [], [], _PATIENCE)[0] or ours.recv(16) != _READY:
        ours.close()
        return None
    return ours


def show(key: str, title: str, content: bytes) -> bool:
    """Shows a PNG in the window of a key; false where no window can be opened."""
    global _connection
    for _ in range(2):
        if _connection is None:
            _connection = _start()
            if _connection is None:
                return False
        descriptor, path = tempfile.mkstemp(".png", "t7-window-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        message = json.dumps({"key": key, "title": title, "path": path}) + "\n"
        try:
            _connection.send(message.encode(), getattr(socket, "MSG_NOSIGNAL", 0))
            return True
        except OSError:
            os.unlink(path)
            _connection.close()
            _connection = None
    return False


def serve(connection: socket.socket) -> None:
    """Serves a connection until it has ended and all windows are closed."""
    import tkinter

    root = tkinter.Tk()
    root.withdraw()
    windows: dict[str, tuple[Any, Any]] = {}
    requests: queue.Queue[dict[str, str] | None] = queue.Queue()

    def read() -> None:
        with connection.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                requests.put(json.loads(line))
        requests.put(None)

    ended = False

    def draw(request: dict[str, str]) -> None:
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
                draw(request)
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
