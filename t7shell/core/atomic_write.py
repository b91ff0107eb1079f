"""Files that are replaced as a whole: what is written goes to a file beside them, which takes their place."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


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
    start = b"." + name[:180] + b"." + _host() + b"-"
    _remove_leftovers(folder, start)
    try:
        prefix = start + b"%d-" % os.getpid()
        descriptor, temporary = tempfile.mkstemp(prefix=prefix, suffix=b".tmp", dir=folder)
    except OSError:
        return path
    with suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_mask())
    os.close(descriptor)
    return temporary.decode("latin-1")


def _host() -> bytes:
    """Which machine a process of a given number is on: folders may be shared between several."""
    return b"%08x" % zlib.crc32(os.uname().nodename.encode() if hasattr(os, "uname") else b"")


def _remove_leftovers(folder: bytes, start: bytes) -> None:
    """Removes what processes of this machine that are gone left of writing the same file."""
    pattern = re.compile(re.escape(start) + rb"(\d+)-[^-]*\.tmp")
    with suppress(OSError):
        for name in os.listdir(folder or b"."):
            found = pattern.fullmatch(name)
            if found and not _is_running(int(found[1])):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _sync(path: bytes) -> None:
    """Brings a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing_path(path: str | os.PathLike[str]) -> Iterator[str]:
    """The name of a file to write, which replaces ``path`` when the block ends without an exception.

    Raises OSError if the file cannot take its place.
    """
    name = os.fsencode(os.fspath(path)).decode("latin-1")
    temporary = begin_replace(name)
    try:
        yield os.fsdecode(temporary.encode("latin-1"))
    except BaseException:
        if temporary != name:
            with suppress(OSError):
                os.unlink(temporary.encode("latin-1"))
        raise
    if temporary != name:
        reason = finish_replace(temporary, name)
        if reason:
            raise OSError(f"cannot replace {os.fspath(path)}: {reason}")


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """An open file that takes the place of ``path``, whose characters are bytes; see `replacing_path`.

    Raises OSError, and ValueError for a name that no file can have.
    """
    with replacing_path(os.fsdecode(path.encode("latin-1"))) as temporary, open(temporary, "wb") as file:
        yield file


def write_whole(path: str, text: str) -> str | None:
    """Makes a file of text, whose characters are bytes; the reason when that fails."""
    try:
        with replacing(path) as file:
            file.write(text.encode("latin-1"))
    except (OSError, ValueError) as reason:
        return getattr(reason, "strerror", None) or str(reason)
    return None


def _mask() -> int:
    """The process's file mode creation mask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def finish_replace(temporary: str, path: str) -> str | None:
    """Lets a file of `begin_replace` take the place of ``path``; the reason when that fails."""
    target = os.path.realpath(path.encode("latin-1"))
    try:
        _sync(temporary.encode("latin-1"))
        os.replace(temporary.encode("latin-1"), target)
        # Some file systems have no folders to bring to the disk.
        with suppress(OSError):
            _sync(os.path.dirname(target) or b".")
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary.encode("latin-1"))
        return error.strerror or str(error)
    return None
