"""Where the prompt keeps its files, by the convention of the platform."""

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


def config_folder() -> str:
    """The folder of init.lua and config.toml: $T7_CONFIG, or the place the platform has for it."""
    chosen = os.environ.get("T7_CONFIG")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or os.path.expanduser("~/AppData/Roaming")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "t7")


def init_file() -> str:
    """The Lua file that the prompt runs first."""
    return os.path.join(config_folder(), "init.lua")


def config_file() -> str:
    """The settings of the prompt."""
    return os.path.join(config_folder(), "config.toml")
