"""The bytes of a file that LuaJIT may compile, whatever the name stands for."""

from __future__ import annotations

import errno
import os

_LIMIT = 1 << 31    # bytes; strings of LuaJIT are shorter
_PIECE = 1 << 20


def read_whole(path: str) -> bytes:
    """The content of a file. Raises OSError, also where there is no end to it, as in devices.

    Between two pieces Ctrl-C is noticed.
    """
    pieces: list[bytes] = []
    size = 0
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            size += len(piece)
            if size >= _LIMIT:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            pieces.append(piece)
    return b"".join(pieces)
