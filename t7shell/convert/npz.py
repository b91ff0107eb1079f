"""NumPy's archives (``.npz``): an array for each tensor, and ``__network__``, its description as JSON."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from typing import Any

import numpy as np

from t7shell.convert import ConvertError, Options
from t7shell.convert.state import NETWORK, checked, state
from t7shell.host.atomic_write import replacing_path
from t7shell.t7file.model import Array


def write(source: str, target: str, options: Options) -> None:
    """Writes the tensors of a ``.t7`` file as an archive."""
    tensors, network = state(source, options.half, options.key)
    for name in tensors:
        if name.startswith("/") or "\\" in name or "\0" in name or ".." in name.split("/"):
            raise ConvertError(f"{source}: {name!r} cannot be a name in an archive")
    with replacing_path(target) as temporary, zipfile.ZipFile(temporary, "w", allowZip64=True) as archive:
        for name, array in [*tensors.items(), (f"__{NETWORK}__", np.array(network))]:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


def read(path: str) -> dict[str, Array]:
    """Reads the arrays of an archive by name; of the array of a lone ``.npy`` too."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            found: dict[str, Any] = {
                name: archive[name] for name in archive.files if name != f"__{NETWORK}__"
            }
    except (
        zipfile.BadZipFile,
        ValueError,
        KeyError,
        EOFError,
        RuntimeError,
        NotImplementedError,
        SyntaxError,
        AttributeError,
        TypeError,
        OverflowError,
        struct.error,
        tokenize.TokenError,
        zipfile.LargeZipFile,
        zlib.error,
    ) as reason:
        raise ConvertError(f"{path}: not a NumPy archive: {reason}") from None
    for name, array in found.items():
        if not isinstance(array, np.ndarray):
            raise ConvertError(f"{path}: '{name}' is not an array")
    return checked(found, path)
