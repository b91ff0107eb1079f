"""What `lua/loadcaffe` calls."""

FUNCTIONS = {"read": "t7shell.packages.loadcaffe.graph"}
