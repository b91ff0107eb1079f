"""A display without a screen, and a mouse and keys for it."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from PIL import ImageGrab


def missing() -> str:
    """The missing requirement of windows; '' if there is none."""
    if not shutil.which("Xvfb"):
        return "Xvfb, a display without a screen"
    toolkit = subprocess.run([sys.executable, "-c", "import tkinter"], capture_output=True)
    return "tkinter" if toolkit.returncode else ""


def missing_input() -> str:
    """The same for a mouse and keys."""
    return missing() or ("" if ctypes.util.find_library("Xtst") else "libXtst")


@contextmanager
def x_server() -> Iterator[str]:
    """The name of a display; its windows close with it."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        yield ":" + os.read(read, 16).decode().strip()
    finally:
        server.terminate()
        server.wait(10)
        os.close(read)


def pixels(display: str) -> Any:
    """The screen, height x width x 3."""
    return np.asarray(ImageGrab.grab(xdisplay=display).convert("RGB"))


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Hands:
    """Moves the mouse, and presses its buttons and keys."""

    def __init__(self, display: str) -> None:
        self._x = ctypes.CDLL(ctypes.util.find_library("X11"))
        self._test = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XStringToKeysym.restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(self._x.XOpenDisplay(display.encode()))

    def close(self) -> None:
        """Leaves the display."""
        self._x.XCloseDisplay(self._display)

    def move(self, x: int, y: int) -> None:
        """Moves the mouse to a point of the screen."""
        self._test.XTestFakeMotionEvent(self._display, -1, x, y, ctypes.c_ulong(0))
        self._x.XSync(self._display, 0)

    def click(self, button: int = 1) -> None:
        """Presses and releases a button."""
        for down in (1, 0):
            self._test.XTestFakeButtonEvent(self._display, button, down, ctypes.c_ulong(0))
        self._x.XSync(self._display, 0)

    def click_until(self, condition: Callable[[], bool]) -> bool:
        """Clicks until a condition comes true: a window may not be ready for the first click."""

        def clicked() -> bool:
            self.click()
            return wait_for(condition, 2)

        return wait_for(clicked)

    def press(self, key: str) -> None:
        """Presses and releases a key by the name of its symbol."""
        code = self._x.XKeysymToKeycode(self._display, ctypes.c_ulong(self._x.XStringToKeysym(key.encode())))
        for down in (1, 0):
            self._test.XTestFakeKeyEvent(self._display, code, down, ctypes.c_ulong(0))
        self._x.XSync(self._display, 0)
