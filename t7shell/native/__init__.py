"""The compiled kernels: which library this processor runs.

The folder has the C sources, `build.py`, which compiles them, and the libraries that it made, one for each
level of instruction sets with the same functions. The environment variable T7_KERNELS names a level other
than the best.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

FOLDER = os.path.dirname(os.path.realpath(__file__))
_SUFFIX = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


class KernelsUnavailable(ImportError):
    """There is no library for this processor, or the chosen one does not run here."""


def built() -> list[str]:
    """The levels of the libraries in this folder, the lowest first."""
    names = [name for name in os.listdir(FOLDER) if name.startswith("kernels-") and name.endswith(_SUFFIX)]
    return sorted(name.removeprefix("kernels-").removesuffix(_SUFFIX) for name in names)


def for_any_level() -> ctypes.CDLL:
    """The library with what no level of instructions is needed for."""
    return ctypes.CDLL(os.path.join(FOLDER, f"level{_SUFFIX}"))


def runnable() -> list[str]:
    """Those that this processor runs, the lowest first."""
    levels = built()
    if not levels:
        raise KernelsUnavailable(
            "the kernels are not compiled; run `python -m t7shell.native.build`, or reinstall the package"
        )
    best: int = for_any_level().t7_level()
    return [level for level in levels if level == "arm64" or int(level.removeprefix("v")) <= best]


@cache
def level() -> str:
    """The level in use. Raises KernelsUnavailable."""
    chosen, possible = os.environ.get("T7_KERNELS", ""), runnable()
    if chosen and chosen not in possible:
        raise KernelsUnavailable(
            f"T7_KERNELS: no such kernels here (got {chosen}; expected one of {', '.join(possible)})"
        )
    if not possible:
        raise KernelsUnavailable(
            f"there are no kernels for this processor (got {', '.join(built())}); "
            "run `python -m t7shell.native.build`, or reinstall the package here: v2 needs SSE4.2 and POPCNT"
        )
    return chosen or possible[-1]


def library(of_level: str = "") -> str:
    """The path of the library of a level, by default of the one in use. Raises KernelsUnavailable."""
    return os.path.join(FOLDER, f"kernels-{of_level or level()}{_SUFFIX}")
