"""The engine and its foundations: Lua, memory shared with NumPy, values, Ctrl-C."""
