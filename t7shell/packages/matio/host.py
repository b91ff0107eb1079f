"""The functions that `lua/packages/matio` calls."""

FUNCTIONS = {".files": "load save"}
