"""What `lua/mnist` calls.

=========  ==============================================================================
read       (path) -> reader of the tensor in an idx file, packed or not; or (None, message)
=========  ==============================================================================
"""

FUNCTIONS = {"read": "t7shell.packages.mnist.idx"}
