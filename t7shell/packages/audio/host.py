"""The functions that `lua/audio` calls."""

FUNCTIONS = {".sounds": "load save"}
