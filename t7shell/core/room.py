"""Whether there is memory for what libraries allocate without a way to report that there is none."""

from __future__ import annotations

import ctypes
import mmap
from functools import lru_cache

NO_MEMORY = "not enough memory"


def fits(size: int) -> bool:
    """Whether a block of a size could be allocated now. No page of it is used."""
    try:
        mmap.mmap(-1, size).close()
    except (OSError, ValueError, MemoryError):
        return False
    return True


def require(size: int) -> None:
    """Raises MemoryError unless a block of a size could be allocated now."""
    if not fits(size):
        raise MemoryError(NO_MEMORY)


def is_limited() -> bool:
    """Whether the address space of this process is limited, so that allocations fail."""
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


_M_ARENA_MAX = -8  # of mallopt(3)


@lru_cache(1)
def share_arena() -> None:
    """Where the address space is limited, lets all threads allocate from the same part of it.

    GNU's C library reserves 64 MiB for a thread that finds others allocating, or no memory, and keeps it.
    """
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):
        return
    if is_limited():
        set_option(_M_ARENA_MAX, 1)
