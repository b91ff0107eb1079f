"""The engine and what it stands on: Lua, memory shared with NumPy, values, Ctrl-C."""
