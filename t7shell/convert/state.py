"""The tensors of a network under dotted names: reading them from a ``.t7`` file and writing them back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from t7shell import t7file
from t7shell.convert import ConvertError
from t7shell.host.encoding import plain
from t7shell.t7file.model import TYPES, Array
from t7shell.t7file.modules import assign, modules, named, tensors
from t7shell.t7file.object_reader import tensor_kind
from t7shell.t7file.tree import summary

# The entry of the metadata that describes the network, as JSON.
NETWORK = "network"


def contents_of(path: str, key: str | None) -> Any:
    """The object of a file, or the part of it at a path as `t7 inspect` prints it. Raises ConvertError."""
    value = _upgraded(t7file.load(path))
    if key is None:
        return value
    try:
        return named(value, key)
    except KeyError:
        names = [name for name, _ in modules(value) if name][:_MAX_NAMES]
        listed = f"; it has {', '.join(names)}" if names else ""
        raise ConvertError(f"{path}: nothing at '{plain(key)}'{plain(listed)}") from None


def _upgraded(value: Any) -> Any:
    """Gives batch normalizations of version 1, which kept the inverse of the deviation, the variance."""
    for _, module in modules(value):
        fields, inverse = module.fields, module.fields.get("running_std")
        if module.typename.endswith("BatchNormalization") and isinstance(inverse, np.ndarray):
            variance = inverse.astype(np.float64) ** -2 - fields.get("eps", 0)
            fields["running_var"] = variance.astype(inverse.dtype)
            del fields["running_std"]
            module.version = 2
    return value


_MAX_NAMES = 20  # names of an error


def state(path: str, half: bool = False, key: str | None = None) -> tuple[dict[str, Array], str]:
    """Returns parameters, buffers and other tensors of a file by name, and the JSON of its description.

    With ``half`` float and double become half.
    """
    value = contents_of(path, key)
    found = {tensor.name: tensor.array for tensor in tensors(value)}
    if not found:
        raise ConvertError(f"{path}: no tensors in this file")
    if half:
        found = {name: _halved(array) for name, array in found.items()}
    return found, json.dumps(summary(value))


def _halved(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        return array.astype(np.float16)


def bfloat16(bits: Array) -> Array:
    """Returns float32 of 16-bit integers, the upper halves of such numbers."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


# Types that no tensor has, and the next wider ones that tensors have.
_WIDER = {np.dtype("bool"): np.uint8, np.dtype("uint16"): np.int32, np.dtype("uint32"): np.int64}


def checked(found: Mapping[str, Any], path: str) -> dict[str, Array]:
    """Returns arrays with elements that tensors have, wider ones if necessary. Raises ConvertError."""
    result: dict[str, Array] = {}
    for name, array in found.items():
        dtype = array.dtype.newbyteorder("=")
        dtype = np.dtype(_WIDER.get(dtype, dtype))
        if dtype not in TYPES:
            raise ConvertError(f"{path}: '{name}' has elements of {array.dtype}, which no tensor has")
        result[name] = array.astype(dtype, copy=False)
    return result


def put_into(network: str, weights: Mapping[str, Array], target: str) -> None:
    """Writes the network of a ``.t7`` file to `target` with other weights.

    Each tensor of the network needs one of its name and shape, and each weight a tensor. Raises ConvertError.
    """
    value = _upgraded(t7file.load(network))
    own = {tensor.name: tensor.array for tensor in tensors(value)}
    assign(own, weights, network)
    for _, module in modules(value):
        # Tensors of a GPU are read as CPU tensors, and the modules record their type.
        kind = str(module.fields.get("_type"))
        if kind.startswith("torch.Cuda"):
            module.fields["_type"] = f"torch.{tensor_kind(kind)[0]}Tensor"
    t7file.save(value, target)
