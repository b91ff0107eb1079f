"""t7shell: a Lua shell in which Torch7 programs run as they were written."""

from t7shell.errors import LuaError, LuaUnavailable, T7Error
from t7shell.runtime import Runtime
from t7shell.values import LuaFunction, LuaTable

__version__ = "0.1.0"

__all__ = ["LuaError", "LuaFunction", "LuaTable", "LuaUnavailable", "Runtime", "T7Error", "__version__"]
