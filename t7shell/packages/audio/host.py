"""The functions that `lua/packages/audio` calls."""

FUNCTIONS = {".sounds": "load save"}
