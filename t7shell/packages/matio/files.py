"""Files of MATLAB, versions 4 to 7.2, by SciPy."""

from __future__ import annotations

import os
import zlib
from typing import Any

import numpy as np
from scipy.io import loadmat, matlab, savemat

from t7shell.host import encoding
from t7shell.host.atomic_write import replacing
from t7shell.host.child_process import in_child
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.exchange.values import Reader, Writer, from_lua

_FAILURES = (OSError, ValueError, TypeError, KeyError, NotImplementedError, EOFError, zlib.error, MemoryError,
             matlab.MatReadError, matlab.MatWriteError)  # fmt: skip
_LATEST = "MATLAB 7.3 files are HDF5: require 'hdf5' reads them"


# SciPy reads all cells that a damaged file claims to have. Seconds for a file, and for each byte of it.
_TIMEOUT, _PER_BYTE = 20, 1e-5


@returning_failures(*_FAILURES)
def load(path: str, *names: str) -> tuple[Any, ...]:
    """The named variables that exist, or all: arrays as tensors, cells as lists, structs as tables."""
    wanted = [from_lua(name) for name in names]
    where = encoding.path_of(path)
    if not os.path.exists(where):
        where += ".mat"
    seconds = _TIMEOUT + _PER_BYTE * os.path.getsize(where)
    return (Reader(in_child(lambda: _variables(where, wanted), seconds)),)


def _variables(path: str, wanted: list[str]) -> dict[str, Any]:
    try:
        found = loadmat(path, variable_names=wanted or None, appendmat=False)
    except NotImplementedError:
        raise ValueError(_LATEST) from None
    return {name: _simplified(value) for name, value in found.items() if not name.startswith("__")}


def _simplified(value: Any) -> Any:
    """A value of loadmat without its wrappings."""
    if hasattr(value, "toarray"):
        return np.asarray(value.toarray())
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.names is not None:
        records = [{name: _simplified(item[name]) for name in value.dtype.names} for item in value.flat]
        return records[0] if len(records) == 1 else records
    if value.dtype == object:
        if value.ndim == 2 and min(value.shape) > 1:
            return [[_simplified(item) for item in row] for row in value]
        return [_simplified(item) for item in value.flat]
    if value.dtype.kind in "US":
        lines = [str(line) for line in value.flat]
        return lines[0] if len(lines) == 1 else lines if lines else ""
    if value.dtype.kind == "c":
        return {"re": np.ascontiguousarray(value.real), "im": np.ascontiguousarray(value.imag)}
    return value


@returning_reasons(*_FAILURES)
def save(path: str, writer: Writer) -> None:
    """Variables by their names: tensors as arrays, vectors as columns; tables as structs and cells."""
    variables = {str(name): _prepared(value) for name, value in writer.value.items()}
    with replacing(path) as file:
        savemat(file, variables, oned_as="column", appendmat=False)


def _prepared(value: Any) -> Any:
    """A value as savemat takes it: a table of 1, 2, ... becomes a cell, another one a struct."""
    if isinstance(value, bool):
        return np.array([[value]])
    if not isinstance(value, dict):
        return value
    if value and set(value) == set(range(1, len(value) + 1)):
        cells = np.empty((1, len(value)), object)
        for index, item in value.items():
            cells[0, int(index) - 1] = _prepared(item)
        return cells
    return {str(name): _prepared(item) for name, item in value.items()}
