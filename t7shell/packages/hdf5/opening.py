"""Opening and closing HDF5 files, which are written under temporary names, and checks of links in them.

Functions whose work fails return (None, message).
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from typing import Any, NamedTuple

import h5py

from t7shell.host import encoding
from t7shell.host.atomic_write import begin_replace, finish_replace
from t7shell.host.failures import returning_failures

_FAILURES = (OSError, ValueError, TypeError, KeyError, RuntimeError, MemoryError, IndexError, AttributeError)


def _message(reason: Exception) -> str:
    if isinstance(reason, OSError) and reason.errno:
        text = os.strerror(reason.errno)
    else:
        text = reason.args[0] if isinstance(reason, KeyError) and reason.args else str(reason)
    words = str(text) or type(reason).__name__
    return words.encode("utf-8", "surrogateescape").decode("latin-1")


answering = returning_failures(*_FAILURES, words=_message)

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
    (_linked.add if links else _linked.discard)(file.filename)
    return file


class _NewFile(NamedTuple):
    """The finalizer that renames a file when it is no longer used, and its name until then."""

    finish: weakref.finalize[..., Any]
    temporary: str


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
    finish = weakref.finalize(file, _finish, file.id, own, path, os.getpid())
    _new_files[os.path.realpath(name)] = _NewFile(finish, own)
    return file


def _finish(opened: Any, temporary: str, path: str, process: int) -> str | None:
    """Renames a new file; returns the reason of a failure. Forked copies of its process do nothing."""
    if os.getpid() != process:
        return None
    if opened:
        h5py.h5f.flush(opened)
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
    for name, (finish, _) in list(_new_files.items()):
        made = finish.peek()
        if made and made[0] is file:
            file.close()
            reason = finish()
        if not finish.alive:
            del _new_files[name]
    file.close()
    return (None, reason) if reason else None


def trusts(thing: Any) -> bool:
    """Whether links and external storage of the file of an object are followed."""
    return thing.file.filename in _linked
