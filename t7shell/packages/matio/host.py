"""What `lua/matio` calls."""

FUNCTIONS = {".files": "load save"}
