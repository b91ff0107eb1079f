"""The C functions of Lua for C modules, which expect them in the process."""

from __future__ import annotations

import ctypes
import os

from t7shell.engine.luajit import binding


def share_symbols() -> None:
    """Makes the C functions of LuaJIT visible to libraries that are loaded from now on.

    lupa keeps them to itself. They stay so until a program loads a C module: another Lua that is imported
    later in the process would take them for its own.
    """
    if os.name == "posix":
        ctypes.CDLL(binding().__file__, mode=os.RTLD_GLOBAL | os.RTLD_NOLOAD | os.RTLD_NOW)
