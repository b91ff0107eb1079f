"""t7shell: a Lua shell in which Torch7 programs run as they were written."""

# Nothing is imported here: a command handles Ctrl-C only after this. `typing` has a constant of this name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from t7shell.bridge.models import Model, load_model
    from t7shell.bridge.runtime import Runtime
    from t7shell.bridge.values import LuaFunction, LuaObject, LuaTable
    from t7shell.engine.errors import LuaError, LuaUnavailable, Stopped, T7Error
    from t7shell.host.notices import T7Warning
    from t7shell.t7file import load, load_all, save

__version__ = "0.1.0"

__all__ = [
    "LuaError",
    "LuaFunction",
    "LuaObject",
    "LuaTable",
    "LuaUnavailable",
    "Model",
    "Runtime",
    "Stopped",
    "T7Error",
    "T7Warning",
    "__version__",
    "load",
    "load_all",
    "load_model",
    "save",
]


# The modules of the names, imported on first use.
_MODULES = {
    "LuaError": "engine.errors",
    "LuaFunction": "bridge.values",
    "LuaObject": "bridge.values",
    "LuaTable": "bridge.values",
    "LuaUnavailable": "engine.errors",
    "Model": "bridge.models",
    "Runtime": "bridge.runtime",
    "Stopped": "engine.errors",
    "T7Error": "engine.errors",
    "T7Warning": "host.notices",
    "load": "t7file",
    "load_all": "t7file",
    "load_model": "bridge.models",
    "save": "t7file",
}


def load_ipython_extension(shell: "Any") -> None:
    """`%load_ext t7shell` in a notebook of Python."""
    from t7shell.magics import load

    load(shell)


def _show_pictures_in_cells() -> None:
    import sys

    if "IPython" in sys.modules:
        from t7shell.magics import show_pictures_in_cells

        show_pictures_in_cells()


def __getattr__(name: str) -> object:
    """Imports a name of `_MODULES`."""
    if name not in _MODULES:
        raise AttributeError(f"module 't7shell' has no attribute {name!r}")
    from importlib import import_module

    from t7shell.host import hooks

    if _show_pictures_in_cells not in hooks.new_runtime:
        hooks.new_runtime.append(_show_pictures_in_cells)
    value = globals()[name] = getattr(import_module(f"t7shell.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
