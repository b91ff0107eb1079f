"""The functions that `lua/loadcaffe` calls."""

FUNCTIONS = {".graph": "read"}
