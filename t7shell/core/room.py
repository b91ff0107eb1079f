"""Whether there is memory for what libraries allocate without a way to report that there is none."""

from __future__ import annotations

import mmap

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
