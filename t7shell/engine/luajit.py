"""The LuaJIT of lupa: `lupa.luajit21` in wheels, `lupa.lua` in a build against the system's library."""

from __future__ import annotations

import atexit
import mmap
import sys
import weakref
from functools import cache
from typing import Any

from t7shell.engine import arenas, string_ids
from t7shell.engine.errors import LuaUnavailable
from t7shell.host import system

_WHEEL = "install a wheel of lupa that has it, as there is for Linux and Windows: pip install --upgrade lupa"
# Wheels for macOS lack it.
_SOURCE = (
    "on macOS build lupa against that of Homebrew: brew install luajit pkg-config && "
    "LUPA_NO_BUNDLE=true pip install --force-reinstall --no-binary lupa lupa"
)


_PRIVATE = 0x22  # an anonymous private mapping on Linux


@cache
def binding() -> Any:
    """The module of lupa with LuaJIT 2.1. Raises LuaUnavailable, whose message has the remedy."""
    try:
        from lupa import luajit21

        return luajit21
    except ImportError as reason:
        built = _built_from_source()
        if built is not None:
            return built
        remedy = _SOURCE if sys.platform == "darwin" else _WHEEL
        message = f"t7shell needs LuaJIT 2.1, which this lupa lacks: {remedy} ({reason})"
        raise LuaUnavailable(message) from None


def _built_from_source() -> Any:
    try:
        from lupa import lua
    except ImportError:
        return None
    implementation = str(lua.LuaRuntime().lua_implementation)
    return lua if implementation.startswith("LuaJIT 2.1") else None


INTERPRETED = "no memory may become executable here: programs run without LuaJIT's compiler, much slower"

# Programs switch the compiler on, and LuaJIT ends the process when it cannot write code.
_JIT_OFF = """
local on = jit.on
jit.off()
function jit.on(f, ...) if f then return on(f, ...) end end
"""


@cache
def can_compile() -> bool:
    """Whether memory that was written may become executable, as LuaJIT's compiler needs.

    Services are started without that right, for example by `MemoryDenyWriteExecute` of systemd.
    """
    if not sys.platform.startswith("linux"):
        return True
    import ctypes

    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    page = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, _PRIVATE, -1, 0)
    if page in (None, ctypes.c_void_p(-1).value):
        # There is no memory, which is reported elsewhere.
        return True
    fine: bool = libc.mprotect(page, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) == 0
    libc.munmap(page, mmap.PAGESIZE)
    return fine


def new_state() -> Any:
    """A state of Lua with its standard library alone."""
    string_ids.install(binding().__file__)
    system.share_arena()
    lua = binding().LuaRuntime(
        encoding="latin-1", unpack_returned_tuples=True, register_eval=False, register_builtins=False
    )
    arenas.install(binding().__file__, lua)
    lua_globals = lua.globals()
    if not can_compile():
        lua.execute(_JIT_OFF)
    # Torch7 had no such global, and some programs have a variable of this name.
    lua_globals.python = None
    lua_globals.package.loaded.python = None
    return lua


# When Python's collector finds a state in a cycle, it clears lupa's references to the objects that Lua holds,
# and lupa then frees them a second time. This reference keeps a state alive as long as its owner.
_states: dict[int, Any] = {}


def keep_state(lua: Any, owner: object) -> None:
    """Keeps a state alive until its owner is collected."""
    _states[id(lua)] = lua
    weakref.finalize(owner, _states.pop, id(lua)).atexit = False


@atexit.register
def _keep_states() -> None:
    """Leaks the remaining states: when Python exits it collects the globals of this module as well."""
    import ctypes

    for state in _states.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(state))
