"""Nested values with tensors in them, between Lua and Python."""
