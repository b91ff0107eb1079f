"""The files of MNIST: Python's part of the package `mnist`."""

FUNCTIONS = {".idx": "read"}
