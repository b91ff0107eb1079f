"""The text of the clipboard, by the programs that read it."""

from __future__ import annotations

import shutil
import subprocess

_COMMANDS = (
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-o"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    ("powershell.exe", "-NoProfile", "-Command", "Get-Clipboard"),
)
READERS = "wl-paste, xclip, xsel or pbpaste"
_TIMEOUT = 10  # seconds


def text() -> str | None:
    """The text of the clipboard; None if no program reads it. Programs fail without their display."""
    for command in _COMMANDS:
        if shutil.which(command[0]) is None:
            continue
        try:
            done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "surrogateescape").replace("\r\n", "\n").rstrip("\n")
    return None
