"""MATLAB's files: Python's part of the package `matio`."""

FUNCTIONS = {".files": "load save"}
