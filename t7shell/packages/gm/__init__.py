"""Pictures by Pillow: Python's part of the package `gm`."""
