"""Workers: LuaJIT states in threads, which compute parts of large work.

lupa releases the GIL while Lua runs, and the Lua of workers never calls back, so all states compute at once.
The threads are daemons that sleep between jobs; they never hold up the end of the process.
"""

from __future__ import annotations

import os
import threading

from t7shell.engine import lua_paths
from t7shell.engine.luajit import new_state
from t7shell.host import encoding


def start_worker(address: float, index: float) -> bool:
    """Starts worker `index`, from 1, for the slot at an address; false if there is no memory for it."""
    directory = lua_paths.lua_directory()
    with open(os.path.join(directory, "torch", "parallel", "worker.lua"), "rb") as file:
        source = file.read()
    try:
        lua = new_state()
        package = lua.globals().package
        path = lua_paths.library_templates(directory) + ";" + encoding.from_lua(package.path)
        package.path = encoding.to_bytes(path)
        program = lua.globals().loadstring(source, b"=t7 worker")
        if not callable(program):
            return False
        threading.Thread(target=program, args=(address, index), name="t7 worker", daemon=True).start()
    except (MemoryError, RuntimeError):
        # RuntimeError where no thread starts.
        return False
    return True
