"""Lua and Python sharing values: the Python API, objects and arrays on the memory of tensors, networks."""
