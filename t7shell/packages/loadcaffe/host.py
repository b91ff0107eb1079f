"""What `lua/loadcaffe` calls."""

FUNCTIONS = {".graph": "read"}
