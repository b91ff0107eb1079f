"""Files of sound: Python's part of the package `audio`."""

FUNCTIONS = {".sounds": "load save"}
