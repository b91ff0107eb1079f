"""Atomic writes: data goes to a temporary file in the same folder, which then replaces the target."""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from t7shell.host import encoding
from t7shell.host.failures import FULL, message, returning_failures, returning_reasons


def begin_replace(path: str) -> str:
    """Creates an empty temporary file next to ``path``, with its owner and permissions; returns its name.

    Returns ``path`` itself for devices and pipes, where the folder is not writable, and where opening it
    fails. Raises OSError where the disk is full: writing the file itself would lose its content.
    """
    try:
        target = os.path.realpath(path.encode("latin-1"))
    except (OSError, ValueError):
        # The current folder was removed, or the name contains NUL: opening it reports that.
        return path
    found = None
    try:
        found = os.stat(target)
    except FileNotFoundError:
        pass
    except OSError:
        # Links in a circle, for example: opening the file reports that.
        return path
    if found and not (stat.S_ISREG(found.st_mode) and os.access(target, os.W_OK)):
        return path
    folder, name = os.path.split(target)
    start = b"." + name[:180] + b"." + _host() + b"-"
    _remove_leftovers(folder, start)
    # As tempfile.mkstemp does, whose import would take 10 ms.
    temporary = os.path.join(folder, start + b"%d-%s.tmp" % (os.getpid(), os.urandom(8).hex().encode()))
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as reason:
        if reason.errno in FULL:
            raise
        return path
    with suppress(OSError):
        os.chmod(temporary, _owned_mode(temporary, found) if found else 0o666 & ~_mask())
    os.close(descriptor)
    name_of_temporary = temporary.decode("latin-1")
    _targets[name_of_temporary] = target
    return name_of_temporary


# For Lua: a failure is returned as nil and its reason.
begin_replacing = returning_failures(OSError)(begin_replace)

# The files that temporary ones will replace, with links followed.
_targets: dict[str, bytes] = {}


def _owned_mode(temporary: bytes, found: os.stat_result) -> int:
    """Gives a file the owner and group of another where this is allowed; returns the mode that it may have.

    Another owner's program must not run with our rights, nor our content with another's.
    """
    if hasattr(os, "chown"):
        for owner, group in ((found.st_uid, -1), (-1, found.st_gid)):
            with suppress(OSError):
                os.chown(temporary, owner, group)
    own, mode = os.stat(temporary), stat.S_IMODE(found.st_mode)
    if own.st_uid != found.st_uid:
        mode &= ~stat.S_ISUID
    if own.st_gid != found.st_gid:
        mode &= ~stat.S_ISGID
    return mode


def _host() -> bytes:
    """A tag of this machine: folders may be shared between machines, process ids are not."""
    return b"%08x" % zlib.crc32(os.uname().nodename.encode() if hasattr(os, "uname") else b"")


# Hidden temporary files by folder, as they were when this process first wrote there.
_found: dict[bytes, list[bytes]] = {}


def _remove_leftovers(folder: bytes, start: bytes) -> None:
    """Removes temporary files of a target that terminated processes of this machine have left.

    A folder is listed once: programs save by the thousand, and folders may be large.
    """
    if folder not in _found:
        _found[folder] = []
        with suppress(OSError):
            names = os.listdir(folder or b".")
            _found[folder] = [name for name in names if name.startswith(b".") and name.endswith(b".tmp")]
    pattern = re.compile(re.escape(start) + rb"(\d+)-[^-]*\.tmp") if _found[folder] else None
    for name in list(_found[folder]):
        match = pattern and pattern.fullmatch(name)
        if match and not _is_running(int(match[1])):
            _found[folder].remove(name)
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
    """Flushes a file to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing_path(path: str | os.PathLike[str], sync: bool = True) -> Iterator[str]:
    """Yields the name of a file to write, which replaces ``path`` if the block ends without an exception.

    Without ``sync`` the content is not flushed to the disk: a power failure may lose old and new content.
    Raises OSError if the file cannot be replaced.
    """
    name = os.fsencode(os.fspath(path)).decode("latin-1")
    temporary = begin_replace(name)
    try:
        yield encoding.path_of(temporary)
    except BaseException:
        if temporary != name:
            with suppress(OSError):
                os.unlink(temporary.encode("latin-1"))
        raise
    if temporary != name:
        reason = finish_replace(temporary, name, sync)
        if reason:
            raise OSError(f"cannot replace {os.fspath(path)}: {reason}")


@contextmanager
def replacing(path: str, sync: bool = True) -> Iterator[BinaryIO]:
    """Yields an open file that replaces ``path``, given as latin-1 text; see `replacing_path`.

    Raises OSError, and ValueError for an invalid name.
    """
    with replacing_path(encoding.path_of(path), sync) as temporary, open(temporary, "wb") as file:
        yield file


@returning_reasons(OSError, ValueError)
def write_whole(path: str, text: str) -> None:
    """Writes latin-1 text to a file; returns the reason of a failure."""
    with replacing(path) as file:
        file.write(text.encode("latin-1"))


def _mask() -> int:
    """The process's file mode creation mask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def finish_replace(temporary: str, path: str, sync: bool = True) -> str | None:
    """Replaces ``path`` by a file of `begin_replace`; returns the reason of a failure.

    The new content is flushed before it replaces an old one, which a power failure could otherwise take away
    with it. A name that is new has nothing to lose.
    """
    target = _targets.pop(temporary, None) or os.path.realpath(path.encode("latin-1"))
    try:
        if sync and os.path.exists(target):
            _sync(temporary.encode("latin-1"))
        os.replace(temporary.encode("latin-1"), target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary.encode("latin-1"))
        return message(error)
    return None
