"""Lua states in threads of their own: Python's part of the package `threads`."""
