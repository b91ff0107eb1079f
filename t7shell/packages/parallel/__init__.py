"""Processes that work for a script: Python's part of the package `parallel`."""
