"""Lets a state of Lua allocate small objects from arenas, see docs/decisions/0036-arenas.md."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from t7shell.host import system
from t7shell.native import for_any_level

_COUNT = 8  # LUA_MASKCOUNT

# A hook may be set through any thread of Lua, and is called in the one that runs. The object that stays is
# the table.
_THREAD = """
local thread = coroutine.create(function() end)
debug.getregistry().t7_arenas = thread
return string.format('%p', thread)
"""
_RUN = "debug.getregistry().t7_arenas = {}"


@cache
def _set_hook(path: str) -> Any:
    """lua_sethook of the library at `path`, whose functions the arenas know from then on."""
    library = ctypes.CDLL(path)
    for_any_level().t7_arenas_api(library.lua_getallocf, library.lua_setallocf, library.lua_sethook)
    library.lua_sethook.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return library.lua_sethook


def install(path: str, lua: Any) -> None:
    """Gives a new state its arenas, where the library of Lua at `path` exports its functions.

    They are 64 MB of addresses, which a process whose address space is limited does without.
    """
    if system.is_limited():
        return
    try:
        set_hook = _set_hook(path)
    except AttributeError:
        return
    hook = ctypes.cast(for_any_level().t7_arenas_hook, ctypes.c_void_p)
    set_hook(int(lua.execute(_THREAD), 16), hook, _COUNT, 1)
    lua.execute(_RUN)
