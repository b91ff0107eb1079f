"""An emergency reserve of memory, released on out-of-memory so that the prompt can recover."""

from __future__ import annotations

import mmap

SIZE = 64 * 2**20  # bytes of address space; no page of it is used
PARTS = 4


class Reserve:
    """Address space in parts, one of which is released at each failure."""

    def __init__(self) -> None:
        self._parts: list[mmap.mmap] = []
        self.fill()

    def fill(self) -> bool:
        """Reserves released parts again; false if that left less than `SIZE` for other uses."""
        missing = PARTS - len(self._parts)
        if missing:
            try:
                mmap.mmap(-1, SIZE + missing * SIZE // PARTS).close()
                self._parts += [mmap.mmap(-1, SIZE // PARTS) for _ in range(missing)]
            except (OSError, MemoryError, ValueError):
                return False
        return True

    def give(self) -> bool:
        """Releases a part; false if none is left."""
        if not self._parts:
            return False
        self._parts.pop().close()
        return True
