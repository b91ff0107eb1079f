"""Files of Torch7 (``.t7``) in Python: reading and writing them without Lua, and without running code.

========================  ==================================================================
in the file               in Python
========================  ==================================================================
nil, booleans, strings    None, bool, str (bytes where they are not UTF-8)
numbers                   int where they are whole, otherwise float
tables                    list where the keys are 1..n, otherwise dict
tensors                   `numpy.ndarray`; those that share a storage are views of one array
storages                  `Storage`, a one-dimensional array
objects of other classes  `Object`, with `typename` and `fields`
tds.Hash, tds.Vec         dict, list
functions                 `Function`, with the bytecode, which is never run
========================  ==================================================================
"""

from t7shell.t7file.model import Function, Key, Object, Storage, T7FileError
from t7shell.t7file.reader import load, load_all, loads
from t7shell.t7file.writer import dumps, save

__all__ = [
    "Function",
    "Key",
    "Object",
    "Storage",
    "T7FileError",
    "dumps",
    "load",
    "load_all",
    "loads",
    "save",
]
