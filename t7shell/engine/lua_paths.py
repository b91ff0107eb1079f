"""The search paths of `require`: LuaJIT's directories, those of LuaRocks and those of Debian."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from t7shell.host import encoding

_VERSION = "5.1"


def lua_directory() -> str:
    """The folder of the Lua sources."""
    return installed_folder("lua")


def installed_folder(name: str) -> str:
    """A folder that comes with the package: inside of it, next to it in a source checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, name)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), name)


def library_templates(directory: str) -> str:
    """The entries of package.path for the library: torch, nn and shell, and all other packages."""
    return f"{templates(directory)};{templates(directory + '/packages')}"


def templates(directory: str) -> str:
    """The entries of package.path for the modules of a folder."""
    return f"{directory}/?.lua;{directory}/?/init.lua"


def set_up(package: Any, directory: str) -> None:
    """Sets the paths of Lua's table `package`: the library's folder, then the directories of this system."""
    path, cpath = encoding.from_lua(package.path), encoding.from_lua(package.cpath)
    path = library_templates(directory) + ";" + with_trees(path, "LUA_PATH", lua_entries)
    package.path = encoding.to_bytes(path)
    package.cpath = encoding.to_bytes(with_trees(cpath, "LUA_CPATH", c_entries))


def with_trees(path: str, variable: str, entries: Callable[[], list[str]]) -> str:
    """A path followed by the directories of this system.

    An environment variable (LUA_PATH, LUA_CPATH) replaces the default path, unless it contains `;;`, which
    stands for the default.
    """
    chosen = os.environ.get(variable)
    if chosen is not None and ";;" not in chosen:
        return path
    found = path.split(";")
    if "./?.lua" in found and "./?/init.lua" not in found:
        found.insert(found.index("./?.lua") + 1, "./?/init.lua")
    return ";".join(dict.fromkeys([*found, *entries()]))


def with_script_directory(path: str, directory: str) -> str:
    """A path with the folder of a script after the current folder and before installed modules."""
    entries = path.split(";")
    here = [i for i, entry in enumerate(entries) if entry.startswith("./")]
    index = here[-1] + 1 if here else len(entries)
    return ";".join([*entries[:index], templates(directory), *entries[index:]])


def lua_entries() -> list[str]:
    """The entries of package.path for modules that LuaRocks or Debian installed."""
    return [entry for tree in _trees() for entry in templates(f"{tree}/share/lua/{_VERSION}").split(";")]


def c_entries() -> list[str]:
    """The entries of package.cpath for them."""
    suffix = "dll" if sys.platform == "win32" else "so"
    folders = [f"{tree}/lib/lua/{_VERSION}" for tree in _trees()]
    multiarch = getattr(sys.implementation, "_multiarch", "")
    if multiarch:
        folders.append(f"/usr/lib/{multiarch}/lua/{_VERSION}")
    return [f"{folder}/?.{suffix}" for folder in folders]


def user_tree() -> str:
    """The folder in which LuaRocks installs for the user."""
    return os.path.join(os.path.expanduser("~"), ".luarocks")


def _trees() -> list[str]:
    """The trees of the user, of this machine and of its distribution."""
    system = ["/usr/local", "/opt/homebrew", "/usr"] if sys.platform == "darwin" else ["/usr/local", "/usr"]
    trees = [user_tree(), *(system if os.name == "posix" else [])]
    # A semicolon would divide the entry.
    return [tree for tree in trees if ";" not in tree]
