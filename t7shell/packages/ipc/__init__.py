"""Connections between processes: Python's part of the package `ipc`."""
