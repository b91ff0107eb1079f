"""Shapes of the inputs of networks, inferred from their first modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.t7file.model import Object

# Modules that preserve the shape of any input.
_TRANSPARENT = {
    "Identity", "Copy", "Contiguous", "Dropout", "ReLU", "Tanh", "Sigmoid", "MulConstant", "AddConstant",
    "WhiteNoise",
}  # fmt: skip

# Layers of vectors: a field, and the dimension of it that has the size of the input.
_VECTORS = {
    "Linear": ("weight", 1),
    "LinearWeightNorm": ("weight", 1),
    "Cosine": ("weight", 1),
    "Euclidean": ("weight", 0),
    "WeightedEuclidean": ("weight", 0),
    "BatchNormalization": ("running_mean", 0),
}


def shapes_for(network: Any, given: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Returns the shapes of the inputs, batch first: those given, or those of vectors of the first layer.

    Raises ConvertError if they cannot be inferred.
    """
    if given:
        return list(given)
    first = _first(network)
    kind = first.typename.rpartition(".")[2] if first else ""
    fields = first.fields if first else {}
    field, axis = _VECTORS.get(kind, ("", 0))
    weight = fields.get(field)
    if isinstance(weight, np.ndarray) and weight.ndim > axis:
        return [(1, int(weight.shape[axis]))]
    planes = fields.get("nInputPlane")
    example = f"1x{planes}x224x224" if isinstance(planes, int) else "1x3x224x224"
    raise ConvertError(
        f"the size of the input cannot be inferred; give it with --input, such as --input {example}"
    )


def _first(item: Any) -> Object | None:
    """Returns the first module whose fields determine the shape of the input."""
    for _ in range(1000):
        if not isinstance(item, Object) or not isinstance(item.fields, dict):
            return None
        modules = item.fields.get("modules")
        if item.typename == "nn.gModule" or not isinstance(modules, list) or not modules:
            return item
        kinds = [child.typename.rpartition(".")[2] if isinstance(child, Object) else "" for child in modules]
        if item.typename.rpartition(".")[2] == "Sequential":
            item = next(
                (child for child, kind in zip(modules, kinds, strict=True) if kind not in _TRANSPARENT), None
            )
        else:
            item = modules[0]
    return None
