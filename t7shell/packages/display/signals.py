"""Signals of a window by the names of Qt: events of the mouse and of the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Send = Callable[[str, list[int | str]], None]

_BUTTONS = {1: "LeftButton", 2: "MidButton", 3: "RightButton"}
_MODIFIERS = {0x1: "ShiftModifier", 0x4: "ControlModifier", 0x8: "AltModifier"}
_HELD = {0x100: "LeftButton", 0x200: "MidButton", 0x400: "RightButton"}
# Keys with different names in Qt and Tk.
_KEYS = {
    "BackSpace": "Backspace",
    "Prior": "PageUp",
    "Next": "PageDown",
    "Caps_Lock": "CapsLock",
    "Shift_L": "Shift",
    "Shift_R": "Shift",
    "Control_L": "Control",
    "Control_R": "Control",
    "Alt_L": "Alt",
    "Alt_R": "Alt",
}


def _names(state: int, table: dict[int, str], nothing: str) -> str:
    return "|".join(name for bit, name in table.items() if state & bit) or nothing


def modifiers(event: Any) -> str:
    """The keys held with an event: 'ShiftModifier|ControlModifier', or 'NoModifier'."""
    return _names(_state(event), _MODIFIERS, "NoModifier")


def _state(event: Any) -> int:
    return event.state if isinstance(event.state, int) else 0


def of_button(event: Any) -> list[int | str]:
    """Arguments of a press or release: x, y, the button, the modifiers, and the buttons held."""
    button = _BUTTONS.get(event.num, "NoButton")
    return [event.x, event.y, button, modifiers(event), _names(_state(event), _HELD, "NoButton")]


def of_move(event: Any) -> list[int | str]:
    """Arguments of a move: x, y, the modifiers, and the buttons held."""
    return [event.x, event.y, modifiers(event), _names(_state(event), _HELD, "NoButton")]


def of_key(event: Any) -> list[int | str]:
    """Arguments of a key: its text, its name such as 'Key_Left', and the modifiers."""
    name = _KEYS.get(event.keysym, event.keysym)
    return [event.char or "", "Key_" + name[:1].upper() + name[1:], modifiers(event)]


def bind(window: Any, picture: Any, send: Send) -> None:
    """Sends the signals of a window; positions are pixels of the picture in it."""
    for pattern, signal in (
        ("<ButtonPress>", "sigMousePress"),
        ("<ButtonRelease>", "sigMouseRelease"),
        ("<Double-ButtonPress>", "sigMouseDoubleClick"),
    ):
        picture.bind(pattern, lambda event, signal=signal: send(signal, of_button(event)))
    picture.bind("<Motion>", lambda event: send("sigMouseMove", of_move(event)))
    window.bind("<KeyPress>", lambda event: send("sigKeyPress", of_key(event)))
    window.bind("<KeyRelease>", lambda event: send("sigKeyRelease", of_key(event)))
    # Child widgets are destroyed with the window, and propagate their events to it.
    window.bind("<Destroy>", lambda event: send("sigClose", []) if event.widget is window else None)
