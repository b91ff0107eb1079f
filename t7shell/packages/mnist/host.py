"""The functions that `lua/mnist` calls."""

FUNCTIONS = {".idx": "read"}
