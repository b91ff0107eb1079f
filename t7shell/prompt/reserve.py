"""Memory that is kept for the day when there is none: what the prompt needs to come back from `not enough
memory`."""

from __future__ import annotations

import mmap

SIZE = 64 * 2**20  # bytes of address space; no page of it is used
PARTS = 4


class Reserve:
    """Address space in parts, one of which is given up at each failure."""

    def __init__(self) -> None:
        self._parts: list[mmap.mmap] = []
        self.fill()

    def fill(self) -> bool:
        """Takes back what was given up, if as much again is left for others; false if it is not."""
        missing = PARTS - len(self._parts)
        if missing:
            try:
                mmap.mmap(-1, SIZE + missing * SIZE // PARTS).close()
                self._parts += [mmap.mmap(-1, SIZE // PARTS) for _ in range(missing)]
            except (OSError, MemoryError, ValueError):
                return False
        return True

    def give(self) -> bool:
        """Frees a part for others; false when none is left."""
        if not self._parts:
            return False
        self._parts.pop().close()
        return True
