"""The settings of t7, from config.toml."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields

from t7shell.engine.file_bytes import read_whole
from t7shell.engine.options import DESTINATIONS
from t7shell.engine.user_dirs import config_file
from t7shell.host.failures import text_of

TEMPLATE = """\
# Settings of the prompt of t7, with their defaults. Remove a '#' to change one.

# dialect = "t7"         # "th", or "modern", which broadcasts; --dialect comes first
# keys = "emacs"         # or "vi"
# colors = "auto"        # "dark" or "light" for the background of the terminal, or "none"
# complete = true        # show completions while you type; otherwise only at Tab
# suggest = true         # show the rest of an earlier input after the cursor
# signature = true       # show the usage of a function in the last line
# checkpoint = true      # let a second Ctrl-C undo a line that cannot be stopped
# show = "auto"          # where pictures appear: "window", "terminal", "file" or "none"
# numbers = false        # show the number of an input, by which errors name it: t7 [52]>
# progress = true        # show how long a line has been running, in the terminal's title, and how far it is
"""

CHOICES = {
    "dialect": ("t7", "th", "modern"),
    "keys": ("emacs", "vi"),
    "colors": ("auto", "dark", "light", "none"),
    "show": DESTINATIONS,
}


class ConfigError(Exception):
    """The settings are not valid; the message says why."""


@dataclass
class Config:
    """The settings that TEMPLATE explains."""

    dialect: str = "t7"
    keys: str = "emacs"
    colors: str = "auto"
    complete: bool = True
    suggest: bool = True
    signature: bool = True
    checkpoint: bool = True
    show: str = "auto"
    numbers: bool = False
    progress: bool = True


def read(path: str | None = None) -> Config:
    """The settings in a file, by default that of the user; defaults where there is none.

    Raises ConfigError for invalid TOML, and for unknown names and values: a line for each.
    """
    path = path or config_file()
    if not os.path.exists(path):
        return Config()
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table = tomllib.loads(read_whole(path).decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as reason:
        raise ConfigError(f"{path}: {text_of(reason)}") from None
    config = Config()
    mistakes: list[str] = []
    known = {field.name for field in fields(Config)}
    for name, value in table.items():
        if name not in known:
            mistakes.append(f"unknown setting '{name}'; there are {', '.join(sorted(known))}")
        elif name in CHOICES and value not in CHOICES[name]:
            mistakes.append(f"{name}: expected {' or '.join(CHOICES[name])} (got '{value}')")
        elif name not in CHOICES and not isinstance(value, bool):
            mistakes.append(f"{name}: expected true or false (got '{value}')")
        else:
            setattr(config, name, value)
    if mistakes:
        raise ConfigError("\n".join(f"{path}: {mistake}" for mistake in mistakes))
    return config


def write_template() -> str:
    """Creates the file of the user, if there is none, with all settings commented out; returns its name."""
    path = config_file()
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(TEMPLATE)
    return path
