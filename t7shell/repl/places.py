"""Where the prompt keeps its files, by the convention of the platform."""

from __future__ import annotations

import os
import sys


def _base(windows: tuple[str, str], unix: tuple[str, str]) -> str:
    """The folder for files of a kind, by the variable that names it on a platform, or by default."""
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support")
    variable, default = windows if sys.platform == "win32" else unix
    return os.environ.get(variable) or os.path.expanduser(default)


def history_file() -> str | None:
    """The name of the history file: $T7_HISTORY (empty for none), or the place the platform has for it."""
    chosen = os.environ.get("T7_HISTORY")
    if chosen is not None:
        return os.path.abspath(os.path.expanduser(chosen)) if chosen else None
    base = _base(("LOCALAPPDATA", "~/AppData/Local"), ("XDG_STATE_HOME", "~/.local/state"))
    return os.path.join(base, "t7shell", "history")


def config_folder() -> str:
    """The folder of init.lua and config.toml: $T7_CONFIG, or the place the platform has for it."""
    chosen = os.environ.get("T7_CONFIG")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    base = _base(("APPDATA", "~/AppData/Roaming"), ("XDG_CONFIG_HOME", "~/.config"))
    return os.path.join(base, "t7")


def init_file() -> str:
    """The Lua file that the prompt runs first."""
    return os.path.join(config_folder(), "init.lua")


def config_file() -> str:
    """The settings of the prompt."""
    return os.path.join(config_folder(), "config.toml")
