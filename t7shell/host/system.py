"""What this process has: memory, cores and environment variables.

Libraries allocate without a way to report that there is no memory.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

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


def core_count() -> int:
    """The cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Sets variables of the environment in the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
