"""HDF5 files: Python's part of the package `hdf5`."""

FUNCTIONS = {
    ".opening": "open close",
    ".files": "is_open child path names describe text all read write masked put_masked create resize",
}
