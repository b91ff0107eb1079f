"""What `lua/mnist` calls."""

FUNCTIONS = {"read": "t7shell.packages.mnist.idx"}
