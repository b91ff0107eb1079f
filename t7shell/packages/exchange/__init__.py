"""Nested values with tensors in them, between Lua and Python.

`FUNCTIONS` are those that `lua/torch/utility/exchange.lua` calls.
"""

FUNCTIONS = {".values": "piece fill writer begin end key plain tensor"}
