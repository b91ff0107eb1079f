"""Functions of NumPy and SciPy on the tensors of Lua."""
