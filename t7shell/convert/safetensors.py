"""Files of safetensors: the length of a header, the header as JSON, and the bytes of the tensors.

Nothing in a file is trusted: `read` checks the rules of https://huggingface.co/docs/safetensors before it
allocates memory.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np

from t7shell import __version__
from t7shell.convert import ConvertError, Options
from t7shell.convert.state import NETWORK, bfloat16, checked, state
from t7shell.host.atomic_write import replacing_path
from t7shell.t7file.model import Array

_LENGTH = struct.Struct("<Q")
_MAX_HEADER = 100_000_000  # bytes, the limit of the format
_METADATA = "__metadata__"
_NAMES = {
    "f8": "F64",
    "f4": "F32",
    "f2": "F16",
    "i8": "I64",
    "i4": "I32",
    "i2": "I16",
    "i1": "I8",
    "u1": "U8",
}
_DTYPES = {name: np.dtype("<" + code) for code, name in _NAMES.items()} | {
    "BOOL": np.dtype("bool"),
    "BF16": np.dtype("<u2"),
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
}


def write(source: str, target: str, options: Options) -> None:
    """Writes the tensors of a ``.t7`` file, and the description of the network in the metadata."""
    tensors, network = state(source, options.half, options.key)
    header: dict[str, Any] = {_METADATA: {"producer": f"t7shell {__version__}", NETWORK: network}}
    at = 0
    for name, array in tensors.items():
        kind = _NAMES[array.dtype.str[1:]]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > _MAX_HEADER:
        raise ConvertError(f"{target}: a header of {len(text)} bytes exceeds the limit of safetensors")
    with replacing_path(target) as temporary, open(temporary, "wb") as file:
        file.write(_LENGTH.pack(len(text)) + text)
        for array in tensors.values():
            stored = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            file.write(stored.reshape(-1).view(np.uint8).data)


def read(path: str) -> dict[str, Array]:
    """Reads the tensors of a file by name; those of bfloat16 become float."""
    with open(path, "rb") as file:
        data = file.read()
    header, begin = _header(data, path)
    tensors: dict[str, Array] = {}
    end = 0
    rows = [(name, *_row(name, row, path)) for name, row in header.items() if name != _METADATA]
    for name, kind, shape, start, stop in sorted(rows, key=lambda row: row[3:]):
        if start != end:
            raise ConvertError(f"{path}: '{name}' begins at byte {start} of the data, not at {end}")
        dtype = _DTYPES[kind]
        if stop - start != math.prod(shape) * dtype.itemsize:
            raise ConvertError(f"{path}: '{name}' of {kind} and shape {shape} has {stop - start} bytes")
        if stop > len(data) - begin:
            raise ConvertError(f"{path}: '{name}' ends at byte {stop} of {len(data) - begin}")
        # A copy: the memory of a tensor is aligned, and may be written.
        array: Array = np.frombuffer(data, dtype, math.prod(shape), begin + start).reshape(shape)
        tensors[name] = bfloat16(array) if kind == "BF16" else array.copy()
        end = stop
    if end != len(data) - begin:
        raise ConvertError(f"{path}: {len(data) - begin - end} bytes follow the last tensor")
    # In the order of the header, not of the data.
    return checked({name: tensors[name] for name in header if name != _METADATA}, path)


def _header(data: Any, path: str) -> tuple[dict[str, Any], int]:
    """Reads the header; returns it, and where the data begin."""
    if len(data) < _LENGTH.size:
        raise ConvertError(f"{path}: not a safetensors file: it has {len(data)} bytes")
    (length,) = _LENGTH.unpack_from(data, 0)
    if not 2 <= length <= min(_MAX_HEADER, len(data) - _LENGTH.size):
        raise ConvertError(f"{path}: not a safetensors file: header of {length} bytes of {len(data)}")
    begin = _LENGTH.size + length
    try:
        header = json.loads(data[_LENGTH.size : begin], object_pairs_hook=_unique)
    except (ValueError, RecursionError) as reason:
        raise ConvertError(
            f"{path}: not a safetensors file: {reason or 'a header nested too deep'}"
        ) from None
    if not isinstance(header, dict):
        raise ConvertError(f"{path}: not a safetensors file: its header is not an object")
    return header, begin


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name appears twice in the header")
    return found


def _row(name: str, row: Any, path: str) -> tuple[str, tuple[int, ...], int, int]:
    """Returns dtype, shape, and the first and last byte of a tensor."""
    try:
        kind, shape, (start, stop) = row["dtype"], tuple(row["shape"]), row["data_offsets"]
        numbers = (*shape, start, stop)
        if not all(type(number) is int and 0 <= number < 2**63 for number in numbers) or stop < start:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ConvertError(f"{path}: '{name}' lacks a dtype, a shape or offsets in the header") from None
    if not isinstance(kind, str) or kind not in _DTYPES:
        raise ConvertError(f"{path}: '{name}' has elements of {kind}, which no tensor has")
    if len(shape) > 64:
        raise ConvertError(f"{path}: '{name}' has {len(shape)} dimensions")
    return kind, shape, start, stop
