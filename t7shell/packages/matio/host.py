"""The functions that `lua/matio` calls."""

FUNCTIONS = {".files": "load save"}
