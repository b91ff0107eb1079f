"""The files of t7 in the folders of the platform: its history and settings."""

from __future__ import annotations

import os

import platformdirs


def history_file() -> str | None:
    """The history: $T7_HISTORY (empty for none), or a file in the platform's folder for state."""
    chosen = os.environ.get("T7_HISTORY")
    if chosen is not None:
        return _absolute(chosen) if chosen else None
    return os.path.join(platformdirs.user_state_dir("t7shell", appauthor=False), "history")


def config_folder() -> str:
    """The folder of init.lua and config.toml: $T7_CONFIG, or the platform's folder for settings."""
    chosen = os.environ.get("T7_CONFIG")
    if chosen:
        return _absolute(chosen)
    return platformdirs.user_config_dir("t7", appauthor=False, roaming=True)


def _absolute(chosen: str) -> str:
    path = os.path.expanduser(chosen)
    try:
        return os.path.abspath(path)
    except OSError:
        # The current folder was removed: nothing is found there.
        return path


def init_file() -> str:
    """The Lua file that the prompt runs first."""
    return os.path.join(config_folder(), "init.lua")


def config_file() -> str:
    """The settings of the prompt."""
    return os.path.join(config_folder(), "config.toml")
