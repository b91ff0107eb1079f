"""The bytecode of the library's files, in the folder of caches: compiling them would take a start 15 ms.

The file belongs to one LuaJIT and one folder of the library. LuaJIT does not verify bytecode, so the file
has a checksum, and is read only where nobody else may have written it. An entry holds for the time and size
of its source. $T7_CACHE names another folder; if it is empty, nothing is kept. See
docs/decisions/0035-kept-bytecode.md.
"""

from __future__ import annotations

import atexit
import marshal
import os
import stat
import sys
import zlib
from contextlib import suppress
from typing import Any, TypeGuard

from t7shell.engine.luajit import binding

_FORMAT = 1
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_Entry = tuple[int, int, bytes]  # time and size of the source, bytecode

# By source file. Other threads and forked processes use them, too.
entries: dict[str, _Entry] | None = None
_saving_process = None


def get(source: str) -> bytes | None:
    """The bytecode of a source file, None if it is not known."""
    global entries
    if entries is None:
        entries = _read()
    entry = entries.get(source)
    return entry[2] if entry and entry[:2] == _stamp(source) else None


def put(source: str, code: str) -> None:
    """Keeps the bytecode of a source file, in this process and for later ones."""
    global _saving_process
    stamp = _stamp(source)
    if entries is None or stamp is None:
        return
    entries[source] = (*stamp, code.encode("latin-1"))
    if _saving_process is None:
        _saving_process = os.getpid()
        atexit.register(_save)


def _stamp(source: str) -> tuple[int, int] | None:
    try:
        found = os.stat(source.encode("latin-1"))
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _folder() -> str:
    """The folder of the caches, as platformdirs has it, whose import would take as long as this saves."""
    chosen = os.environ.get("T7_CACHE")
    if chosen is not None:
        return chosen
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "t7shell")


def _file() -> str | None:
    folder, library = _folder(), binding().__file__
    if not os.path.isabs(folder):
        return None
    found = os.stat(library)
    key = f"{_FORMAT} {library} {found.st_mtime_ns} {found.st_size} {os.path.abspath(__file__)}"
    return os.path.join(folder, f"bytecode-{zlib.crc32(os.fsencode(key)):08x}")


def _is_private(found: os.stat_result) -> bool:
    """Whether a file or folder is ours, and only we may write to it."""
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)


def _read() -> dict[str, _Entry]:
    try:
        path = _file()
        if path is None:
            return {}
        # Opening a pipe would wait for somebody to write to it.
        with open(os.open(path, _FLAGS), "rb") as file:
            found = os.fstat(file.fileno())
            if not (stat.S_ISREG(found.st_mode) and _is_private(found)):
                return {}
            checksum, content = file.read(4), file.read()
        if len(checksum) < 4 or zlib.crc32(content) != int.from_bytes(checksum, "little"):
            return {}
        known = marshal.loads(content)
        return known if _is_well_formed(known) else {}
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def _is_well_formed(known: Any) -> TypeGuard[dict[str, _Entry]]:
    return isinstance(known, dict) and all(
        isinstance(name, str) and isinstance(entry, tuple) and tuple(map(type, entry)) == (int, int, bytes)
        for name, entry in known.items()
    )


def _save() -> None:
    if sys.dont_write_bytecode or os.getpid() != _saving_process:
        return
    from t7shell.host.atomic_write import replacing

    with suppress(OSError, ValueError):
        path = _file()
        if path is None or (os.path.lexists(path) and not os.path.isfile(path)):
            return
        folder = os.path.dirname(path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _is_private(os.stat(folder)):
            return
        # Other processes may have saved files that this one did not load.
        known = {**_read(), **(entries or {})}
        content = marshal.dumps({name: entry for name, entry in known.items() if entry[:2] == _stamp(name)})
        with replacing(os.fsencode(path).decode("latin-1"), sync=False) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o600)
            file.write(zlib.crc32(content).to_bytes(4, "little") + content)
