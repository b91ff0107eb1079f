"""What notebooks of iTorch show: Python's part of the package `itorch`."""
