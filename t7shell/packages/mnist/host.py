"""What `lua/mnist` calls."""

FUNCTIONS = {".idx": "read"}
