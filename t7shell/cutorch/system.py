"""Memory and cores of the machine, as the properties of the device."""

from __future__ import annotations

import os


def memory() -> tuple[float, float]:
    """Free and total bytes; 0 where the system does not tell."""
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        return float(page * os.sysconf("SC_AVPHYS_PAGES")), float(page * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 0.0, 0.0


def cores() -> float:
    """Cores that the process may use."""
    return float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
