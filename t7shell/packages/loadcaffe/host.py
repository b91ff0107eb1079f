"""The functions that `lua/packages/loadcaffe` calls."""

FUNCTIONS = {".graph": "read"}
