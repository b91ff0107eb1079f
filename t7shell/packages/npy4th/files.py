"""Files of NumPy, .npy and .npz, by NumPy itself."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

import numpy as np

from t7shell.host import encoding
from t7shell.host.atomic_write import replacing
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.exchange.values import Reader, Writer, tensor_type

_FAILURES = (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, MemoryError)


# The readers of NumPy and zipfile raise many exceptions: SyntaxError, struct.error ...
@returning_failures(Exception)
def load(path: str) -> tuple[Any, ...]:
    """The array of a .npy file, or the arrays of a .npz file by their names."""
    name = encoding.path_of(path)
    with open(name, "rb") as file:
        if not file.read(6).startswith((np.lib.format.MAGIC_PREFIX, b"PK")):
            raise ValueError("neither a .npy nor a .npz file")
    try:
        found = np.load(name, allow_pickle=False)
    except ValueError as reason:
        if "allow_pickle" in str(reason):
            raise ValueError("arrays of Python objects are not read") from None
        raise
    value = found if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
    for part, array in value.items() if isinstance(value, dict) else [("", value)]:
        if not isinstance(array, np.ndarray):
            raise ValueError(f"'{part}' is not an array")
        tensor_type(array.dtype)
    return (Reader(value),)


def save(path: str, writer: Writer) -> Any:
    """One array into a .npy file; the name of the file stays as it is."""
    return _written(path, lambda file: np.save(file, writer.value))


def save_all(path: str, writer: Writer) -> Any:
    """Arrays by their names into a .npz file."""
    arrays = {str(name): array for name, array in writer.value.items()}
    return _written(path, lambda file: np.savez(file, **arrays))


@returning_reasons(*_FAILURES)
def _written(path: str, write: Any) -> None:
    with replacing(path) as file:
        write(file)
