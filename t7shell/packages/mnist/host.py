"""The functions that `lua/packages/mnist` calls."""

FUNCTIONS = {".idx": "read"}
