"""File system functions for `lfs`; paths are bytes as latin-1 text, like all strings from Lua."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

from t7shell.host.failures import returning_failures, returning_reasons

_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "named pipe",
    stat.S_IFCHR: "char device",
    stat.S_IFBLK: "block device",
}
_CHANGES: dict[str, Callable[..., None]] = {"chdir": os.chdir, "link": os.link, "symlink": os.symlink}


_OF_UNIX = "rdev", "blocks", "blksize"


@returning_failures(OSError)
def file_attributes(path: str, follow: bool) -> tuple[Any, ...]:
    """mode, size, modification, access and change in seconds, inode, device, links, user, group, permissions,
    the device that a special file is, blocks of 512 bytes, the size of blocks.

    (None, message) if there is no such file; ``follow`` resolves links.
    """
    found = os.stat(path.encode("latin-1"), follow_symlinks=follow)
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "other")
    permissions = stat.filemode(found.st_mode)[1:]
    times = (int(found.st_mtime), int(found.st_atime), int(found.st_ctime))
    return (kind, found.st_size, *times, found.st_ino, found.st_dev, found.st_nlink, found.st_uid,
            found.st_gid, permissions, *(getattr(found, f"st_{name}", 0) for name in _OF_UNIX))


@returning_reasons(OSError)
def file_change(action: str, *arguments: Any) -> None:
    """Changes the file system; returns the reason of a failure."""
    paths = [item.encode("latin-1") for item in arguments if isinstance(item, str)]
    if action == "touch":
        times = [float(item) for item in arguments[1:]]
        with open(paths[0], "ab"):
            pass
        os.utime(paths[0], (times[0], times[-1]) if times else None)
    else:
        _CHANGES[action](*paths)
