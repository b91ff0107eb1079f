"""HDF5 files: Python's part of the package `hdf5`."""
