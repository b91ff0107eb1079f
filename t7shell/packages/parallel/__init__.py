"""Processes that work for a script: Python's part of the package `parallel`."""

FUNCTIONS = {".processes": "start attach send receive alive close"}
