"""What `lua/audio` calls."""

FUNCTIONS = {".sounds": "load save"}
