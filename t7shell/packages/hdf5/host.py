"""The functions that `lua/packages/hdf5` calls."""

FUNCTIONS = {
    ".opening": "open close",
    ".files": "is_open child path names describe text all read write masked put_masked create resize",
}
