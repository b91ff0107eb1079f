"""Files that are replaced as a whole: what is written goes to a file beside them, which takes their place."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress


def begin_replace(path: str) -> str:
    """The name of an empty file to write instead of ``path``, in the same folder and with its permissions.

    It is ``path`` itself where nothing can be put beside it, and for devices and pipes.
    """
    try:
        target = os.path.realpath(path.encode("latin-1"))
    except ValueError:
        # A name with a NUL in it is no name of a file: opening it will say so.
        return path
    try:
        mode = os.stat(target).st_mode
    except OSError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        return path
    if mode is not None and not os.access(target, os.W_OK):
        return path
    folder, name = os.path.split(target)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=b"." + name[:200] + b".", suffix=b".tmp", dir=folder)
    except OSError:
        return path
    with suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_mask())
    os.close(descriptor)
    return temporary.decode("latin-1")


def _mask() -> int:
    """The process's file mode creation mask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def finish_replace(temporary: str, path: str) -> str | None:
    """Lets a file of `begin_replace` take the place of ``path``; the reason when that fails."""
    target = os.path.realpath(path.encode("latin-1"))
    try:
        os.replace(temporary.encode("latin-1"), target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary.encode("latin-1"))
        return error.strerror or str(error)
    return None
