"""MPI: Python's part of the package `mpi`."""
