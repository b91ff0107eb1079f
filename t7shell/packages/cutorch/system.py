"""Memory and cores of the machine, as the properties of the device, and whether there may be a GPU."""

from __future__ import annotations

import os
import platform
from importlib.util import find_spec


def memory() -> tuple[float, float]:
    """Free and total bytes of memory; 0 if the system does not report them."""
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        return float(page * os.sysconf("SC_AVPHYS_PAGES")), float(page * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 0.0, 0.0


def cores() -> float:
    """Cores that the process may use."""
    return float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytorch() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


def gpu_is_likely() -> bool:
    """Whether the system has the driver of a GPU that PyTorch supports; importing PyTorch takes seconds."""
    if platform.system() == "Darwin":
        return platform.machine() == "arm64"
    return any(os.path.exists(path) for path in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg"))
