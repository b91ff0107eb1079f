"""Opening and closing HDF5 files, which are written under temporary names, and checks of links in them.

Functions whose work fails return (None, message).
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, NamedTuple

import h5py

from t7shell.host import encoding
from t7shell.host.atomic_write import begin_replace, finish_replace
from t7shell.host.failures import returning_failures
from t7shell.host.notices import notice
from t7shell.packages.hdf5 import disk_space

_FAILURES = (OSError, ValueError, TypeError, KeyError, RuntimeError, MemoryError, IndexError, AttributeError)


def _message(reason: Exception) -> str:
    if isinstance(reason, OSError) and reason.errno:
        text = os.strerror(reason.errno)
    else:
        text = reason.args[0] if isinstance(reason, KeyError) and reason.args else str(reason)
    words = str(text) or type(reason).__name__
    return words.encode("utf-8", "surrogateescape").decode("latin-1")


answering = returning_failures(*_FAILURES, words=_message)


def writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for functions that write to a file, whose failures are answers as well.

    A new file that the system could not write, since the disk is full for example, never gets its name.
    """

    @answering
    @wraps(function)
    def call(thing: Any, *arguments: Any) -> Any:
        try:
            disk_space.reserve(thing)
            return function(thing, *arguments)
        except OSError as reason:
            if reason.errno:
                for new in _new_files.values():
                    if new.temporary == thing.file.filename:
                        new.failures.append(_message(reason))
            raise

    return call


# The files whose links and external storage are followed, by their names.
_linked: set[str] = set()


@answering
def open(path: str, mode: str, links: bool = False) -> Any:
    """Opens a file: 'r', 'r+', 'w' (empties it), 'w-' (a new one), 'a' (a new one if there is none).

    Links by name and data outside of the file are followed only with ``links``. A new file gets its name when
    it is closed or becomes unreachable, at the latest at the end of the process, so an incomplete file never
    has it. Until then, this process opens it by that name.
    """
    name = encoding.path_of(path)
    written = _new_files.get(os.path.realpath(name))
    if written and written.finish.alive:
        file = h5py.File(written.temporary, "r+" if mode == "a" else mode)
    elif mode == "w" or (mode in ("a", "w-") and not os.path.lexists(name)):
        file = _new_file(path, name)
    else:
        file = h5py.File(name, mode)
        weakref.finalize(file, disk_space.release, file.filename)
    (_linked.add if links else _linked.discard)(file.filename)
    return file


class _NewFile(NamedTuple):
    """The finalizer that renames a file when it is no longer used, its name until then, and the reasons
    for which the system did not write a part of it.
    """

    finish: weakref.finalize[..., Any]
    temporary: str
    failures: list[str]


# By their final names.
_new_files: dict[str, _NewFile] = {}


def _new_file(path: str, name: str) -> Any:
    temporary = begin_replace(path)
    if temporary == path:
        return h5py.File(name, "w")
    own = encoding.path_of(temporary)
    try:
        file = h5py.File(own, "w")
    except BaseException:
        with suppress(OSError):
            os.unlink(own)
        raise
    failures: list[str] = []
    finish = weakref.finalize(file, _finish_unclosed, file.id, own, path, os.getpid(), failures)
    _new_files[os.path.realpath(name)] = _NewFile(finish, own, failures)
    return file


def _finish_unclosed(opened: Any, temporary: str, path: str, process: int, failures: list[str]) -> None:
    """Renames a new file that the program did not close."""
    reason = _finish(opened, temporary, path, process, failures)
    if reason:
        notice(f"hdf5: {path} is not written: {reason}")


def _finish(opened: Any, temporary: str, path: str, process: int, failures: list[str]) -> str | None:
    """Renames a new file; returns the reason of a failure. Forked copies of its process do nothing."""
    if os.getpid() != process:
        return None
    try:
        if opened:
            h5py.h5f.flush(opened)
    except _FAILURES as reason:
        failures.append(_message(reason))
    disk_space.release(temporary)
    if failures:
        with suppress(OSError):
            os.unlink(temporary)
        return failures[0]
    return finish_replace(os.fsencode(temporary).decode("latin-1"), path)


def reject_links(group: Any, name: str) -> None:
    """Raises ValueError if a path leads through a soft or external link."""
    for part in filter(None, name.split("/")):
        link = group.get(part.encode(), getlink=True)
        if link is not None and not isinstance(link, h5py.HardLink):
            kind = "an external link" if isinstance(link, h5py.ExternalLink) else "a soft link"
            raise ValueError(
                f"'{part}' in {group.name} is {kind}: hdf5.open(path, mode, {{links = true}}) follows it"
            )
        group = group.get(part.encode())
        if not isinstance(group, h5py.Group):
            return


def checked(thing: Any) -> Any:
    """The object; raises ValueError where its data is in other files."""
    if isinstance(thing, h5py.Dataset) and (thing.external or thing.is_virtual):
        raise ValueError(
            f"the data of {thing.name} is in other files: hdf5.open(path, mode, {{links = true}}) reads it"
        )
    return thing


@answering
def close(file: Any) -> Any:
    """Closes a file, and renames a new one; closing it again has no effect."""
    reason = None
    for name, (finish, _, failures) in list(_new_files.items()):
        made = finish.peek()
        if made and made[0] is file:
            try:
                file.close()
            except _FAILURES as failure:
                failures.append(_message(failure))
            finish.detach()
            reason = _finish(*made[2])
        if not finish.alive:
            del _new_files[name]
    if file:
        name = file.filename
        file.close()
        disk_space.release(name)
    return (None, reason) if reason else None


def trusts(thing: Any) -> bool:
    """Whether links and external storage of the file of an object are followed."""
    return thing.file.filename in _linked
