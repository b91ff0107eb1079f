"""The Lua state: LuaJIT, running source in it and its results, Ctrl-C, and the command line of it."""
