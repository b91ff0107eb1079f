"""The Python halves of the Lua packages, a folder each."""
