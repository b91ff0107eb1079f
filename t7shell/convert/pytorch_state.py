"""State dictionaries of PyTorch (``.pt``), written without it: a zip of a pickle and of the storages.

The pickle names only classes that `torch.load(weights_only=True)` accepts.
"""

from __future__ import annotations

import pickle
import sys
import zipfile
from collections.abc import Mapping

import numpy as np

from t7shell.convert import ConvertError, Options
from t7shell.convert.pytorch_source import module_of
from t7shell.host import encoding
from t7shell.host.atomic_write import replacing_path
from t7shell.t7file.model import TYPES, Array


def write(source: str, target: str, options: Options) -> None:
    """Writes the parameters of a network under the names of the class that ``.py`` gives.

    Raises ConvertError if a module cannot be converted, and if PyTorch gives other results.
    """
    made = module_of(source, target, options)
    if not made.state:
        raise ConvertError(f"{source}: no parameters in this network")
    report = made.check(source)
    state = made.state
    if options.half:
        state = {
            name: array.astype(np.float16) if array.dtype.kind == "f" else array
            for name, array in state.items()
        }
    with replacing_path(target) as temporary:
        save(state, temporary)
    encoding.tell(f"{target}: {len(state)} tensors; {report}\n", sys.stdout)


def save(state: Mapping[str, Array], path: str) -> None:
    """Writes arrays by name as a file that torch.load reads."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        arrays = [np.ascontiguousarray(array).reshape(array.shape) for array in state.values()]
        archive.writestr(_entry("data.pkl"), _pickled(state.keys(), arrays))
        archive.writestr(_entry("byteorder"), sys.byteorder)
        for i, array in enumerate(arrays):
            with archive.open(f"archive/data/{i}", "w", force_zip64=True) as file:
                file.write(array.reshape(-1).data.cast("B") if array.size else b"")
        archive.writestr(_entry("version"), "3\n")


def _entry(name: str) -> zipfile.ZipInfo:
    """A file of the archive, without a modification time: the same state gives the same bytes."""
    return zipfile.ZipInfo(f"archive/{name}")


def _pickled(names: object, arrays: list[Array]) -> bytes:
    """Returns a pickle of an OrderedDict of tensors, by opcodes, since their classes are not available."""
    out = [b"\x80\x02ccollections\nOrderedDict\n)R("]
    for i, (name, array) in enumerate(zip(names, arrays, strict=True)):  # type: ignore[call-overload]
        storage = f"ctorch\n{TYPES[array.dtype]}Storage\n".encode()
        strides = [n // array.itemsize for n in array.strides]
        out += [
            _value(name),
            b"ctorch._utils\n_rebuild_tensor_v2\n((",
            _value("storage"),
            storage,
            *map(_value, (str(i), "cpu", array.size)),
            b"tQ",
            *map(_value, (0, array.shape, tuple(strides), False)),
            b"ccollections\nOrderedDict\n)RtR",
        ]
    return b"".join([*out, b"u."])


def _value(value: str | int | tuple[int, ...]) -> bytes:
    """The opcodes of a plain value, without those that begin and end a pickle."""
    return pickle.dumps(value, 2)[2:-1]
