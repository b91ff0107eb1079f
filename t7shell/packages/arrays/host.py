"""The functions that `lua/torch/utility/array_calls.lua` calls."""

FUNCTIONS = {".calls": "call"}
