"""Shows pictures where the user wants them, and defers drawing of plots.

A picture has a key: the next one of that key replaces it in its window or file. Plots are offered, not shown:
drawing is slow, and a script may plot in each iteration of a loop.
"""

from __future__ import annotations

import atexit
import base64
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec

from t7shell.engine import config
from t7shell.engine.options import DESTINATIONS
from t7shell.host import hooks
from t7shell.host.notices import are_warnings, notice

# The reciprocal of the fraction of the time that drawing in a loop may take.
_SHARE = 10

_choice: str | None = None  # None until the settings are read, at the first picture
# Shows something in a notebook: contents by their kinds, binary ones in base64. Takes precedence over other
# displays.
inline: Callable[[dict[str, str]], None] | None = None

# A picture in characters, for the columns and lines of a terminal.
Text = Callable[[int, int], "str | None"]
_waiting: dict[str, tuple[str, Callable[[], bytes], Text | None]] = {}
_unwritten: dict[str, Callable[[], None]] = {}
_not_before: dict[str, float] = {}
_told: set[str] = set()
_folder = ""
_at_end = False


def choose(mode: str) -> None:
    """Sets where pictures appear from now on. Raises ValueError for an unknown mode."""
    global _choice
    if mode not in DESTINATIONS:
        raise ValueError(f"expected {', '.join(DESTINATIONS)} (got '{mode}')")
    _choice = mode


def destination() -> str:
    """Where pictures appear: 'inline', 'window', 'terminal', 'file' or 'none'."""
    if inline:
        return "inline"
    if _choice is None:
        choose(_setting())
    if _choice and _choice != "auto":
        return _choice
    on_terminal = _on_terminal()
    if on_terminal:
        from t7shell.packages.display import terminal

        if terminal.protocol():
            return "terminal"
    if has_window_system():
        return "window"
    return "terminal" if on_terminal and terminal.has_all_colours() else "file"


def _setting() -> str:
    try:
        return config.read().show
    except config.ConfigError as mistake:
        notice(f"t7: {mistake}")
        return "auto"


def _on_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def has_window_system() -> bool:
    """Whether windows can be expected to open."""
    if find_spec("_tkinter") is None:
        return False
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def show(key: str, title: str, content: bytes) -> None:
    """Shows a PNG now."""
    where = destination()
    if where == "inline" and inline:
        inline({"image/png": base64.b64encode(content).decode(), "text/plain": title})
    elif where == "terminal":
        from t7shell.packages.display import terminal

        terminal.show(content)
    elif where == "window":
        from t7shell.packages.display import window

        if not window.show(key, title, content):
            write(key, content)
    elif where == "file":
        write(key, content)


def show_html(text: str) -> None:
    """Shows HTML in a notebook; elsewhere writes it to a file, unless pictures are switched off."""
    where = destination()
    if inline:
        inline({"text/html": text, "text/plain": "HTML"})
    elif where != "none":
        write(f"page-{len(_told) + 1}", text.encode(), "html")


def write(key: str, content: bytes, extension: str = "png") -> None:
    """Writes a picture or page to a file, whose name is printed when it is new."""
    global _folder
    if not _folder:
        _folder = tempfile.mkdtemp(prefix="t7-")
    path = os.path.join(_folder, f"{key}.{extension}")
    with open(path + ".part", "wb") as file:
        file.write(content)
    os.replace(path + ".part", path)
    if path not in _told:
        _told.add(path)
        # Programs that read the output of a script do not expect this line.
        hints = len(_told) == 1 and _on_terminal() and not are_warnings()
        notice(path + (" (t7 --show=terminal draws pictures here)" if hints else ""))


def offer(key: str, title: str, draw: Callable[[], bytes], text: Text | None = None) -> None:
    """Shows what `draw` returns, a PNG, when the input has ended; in a window or file occasionally before.

    A terminal without pictures shows `text` for its columns and lines, unless that is None.
    """
    _flush_at_end()
    _waiting[key] = (title, draw, text)
    if destination() in ("window", "file") and time.monotonic() >= _not_before.get(key, 0):
        _draw(key)


def replace(path: str, write: Callable[[], None]) -> None:
    """Writes the file of a plot with `write`: now, or, in a loop that writes it often, later, as `offer`."""
    _flush_at_end()
    _unwritten[path] = write
    if time.monotonic() >= _not_before.get(path, 0):
        _write_now(path)


def _write_now(path: str) -> None:
    write = _unwritten.pop(path)
    start = time.monotonic()
    try:
        write()
    finally:
        _not_before[path] = time.monotonic() + _SHARE * (time.monotonic() - start)


def _flush_at_end() -> None:
    global _at_end
    if not _at_end:
        _at_end = True
        atexit.register(flush)


def withdraw(key: str) -> None:
    """Removes a pending picture."""
    _waiting.pop(key, None)


def waiting() -> bool:
    """Whether there are pending pictures."""
    return bool(_waiting or _unwritten)


def flush() -> None:
    """Shows and writes all pending pictures."""
    for key in list(_waiting):
        _draw(key)
    for path in list(_unwritten):
        try:
            _write_now(path)
        except ValueError as reason:
            notice(f"t7: {reason}")


def _draw(key: str) -> None:
    title, draw, text = _waiting.pop(key)
    where = destination()
    if where == "none":
        return
    start = time.monotonic()
    try:
        if where == "terminal" and text:
            from t7shell.packages.display import terminal

            if terminal.show_text(text):
                return
        show(key, title, draw())
    except Warning:
        raise
    except Exception as reason:
        # The input that plotted may have ended.
        notice(f"t7: cannot draw {title}: {reason}")
    _not_before[key] = time.monotonic() + _SHARE * (time.monotonic() - start)


hooks.after_input.append((waiting, flush))
