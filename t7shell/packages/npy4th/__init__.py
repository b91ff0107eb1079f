"""NumPy's files: Python's part of the package `npy4th`."""
