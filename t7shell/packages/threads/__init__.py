"""Python's part of the package `threads`: Lua states in separate threads."""
