"""Where the inputs of earlier sessions are kept."""

from __future__ import annotations

import os
import sys


def history_file() -> str | None:
    """The name of the history file: $T7_HISTORY (empty for none), or the place the platform has for it."""
    chosen = os.environ.get("T7_HISTORY")
    if chosen is not None:
        return os.path.abspath(os.path.expanduser(chosen)) if chosen else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "t7shell", "history")
