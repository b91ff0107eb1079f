"""What `lua/torch/utility/array_calls.lua` calls."""

FUNCTIONS = {"call": "t7shell.packages.arrays.calls"}
