"""Functions of NumPy and SciPy on the tensors of Lua.

`FUNCTIONS` are those that `lua/torch/utility/array_calls.lua` calls.
"""

FUNCTIONS = {".calls": "call"}
