-- pl.compat: what differs between versions of Lua, and functions of 5.2 by their names.

return {
   lua51 = true, lua52 = false, jit = true, jit52 = true, is_windows = jit.os == 'Windows',
   dir_separator = string.sub(package.config, 1, 1), execute = os.execute, load = load,
   setfenv = setfenv, getfenv = getfenv,
}
