"""The fixture of tests that run under `mpiexec`."""

from ..mpi.conftest import mpiexec

__all__ = ["mpiexec"]
