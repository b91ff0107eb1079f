"""`t7 rocks`: LuaRocks for the Lua of t7 and the tree of the user, from which `require` loads modules."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

from t7shell.engine.lua_paths import user_tree
from t7shell.host import encoding

_VERSION = "5.1"
_MISSING = """\
t7 rocks: LuaRocks is not installed: `apt install luarocks` or `brew install luarocks` installs it,
or see https://luarocks.org; without it, copy the module's Lua files next to the script
"""
_USAGE = """\
usage: t7 rocks install NAME       installs a rock for Lua 5.1 below ~/.luarocks, where require finds it
       t7 rocks COMMAND ...        any other command of LuaRocks: search, list, remove, show
"""


def main(arguments: Sequence[str]) -> int:
    """Runs LuaRocks with the right version and tree; returns its exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        encoding.write(_USAGE)
        return 0 if arguments else 2
    program = shutil.which("luarocks")
    if program is None:
        encoding.write(_MISSING)
        return 1
    # A tree that the caller chose goes first.
    chosen = any(word in ("--local", "--global") or word.startswith("--tree") for word in arguments)
    command = [program, f"--lua-version={_VERSION}", *arguments]
    if not chosen:
        command.insert(2, f"--tree={user_tree()}")
    try:
        return subprocess.call(command)
    except OSError as reason:
        encoding.write(f"t7 rocks: cannot run {program}: {reason.strerror}\n")
        return 1
