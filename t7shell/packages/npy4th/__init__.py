"""NumPy's files: Python's part of the package `npy4th`."""

FUNCTIONS = {".files": "load save save_all"}
