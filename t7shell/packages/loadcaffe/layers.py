"""The layers of a Caffe model as a list that Lua makes modules of.

A layer is a dictionary of `kind`, `name`, the numbers that its module takes, and `weight` and `bias` where it
has them. Kinds: convolution, pooling, lrn, relu, tanh, sigmoid, abs, dropout, linear, softmax, flatten.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from t7shell.core.failures import message
from t7shell.packages.exchange.values import Reader
from t7shell.packages.loadcaffe.text_format import FormatError, Message, parse
from t7shell.packages.loadcaffe.wire_format import Array, blobs

# Layers that compute nothing in a network that is used.
_SKIPPED = {
    "ACCURACY", "DATA", "DUMMYDATA", "HDF5DATA", "HDF5OUTPUT", "IMAGEDATA", "INPUT", "MEMORYDATA", "SILENCE",
    "WINDOWDATA",
}  # fmt: skip

Layer = dict[str, Any]


def read(prototxt: str, caffemodel: str) -> tuple[Any, ...]:
    """Reads both files; returns a reader of the layers, or None and a message."""
    name = prototxt
    try:
        with open(os.fsdecode(prototxt.encode("latin-1")), encoding="utf-8", errors="replace") as file:
            described = parse(file.read())
        name = caffemodel
        with open(os.fsdecode(caffemodel.encode("latin-1")), "rb") as file:
            parameters = _blobs(file)
        name = prototxt
        return (Reader(layers(described, parameters)),)
    except OSError as reason:
        return None, message(reason)
    except (FormatError, ArithmeticError, ValueError, MemoryError) as reason:
        return None, f"{name}: {reason or 'out of memory'}"


def _blobs(file: Any) -> dict[str, list[Array]]:
    if not os.fstat(file.fileno()).st_size:
        raise FormatError("the file is empty")
    # The map lives as long as parts of it, which errors may refer to.
    return blobs(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def layers(network: Message, parameters: dict[str, list[Array]]) -> list[Layer]:
    """Returns the layers of a chain, in order. Raises FormatError for what has no module here."""
    found: list[Layer] = []
    last: str | None = None
    for layer in network.get("layer", []) + network.get("layers", []):
        if not isinstance(layer, dict):
            raise FormatError("a layer must be a message")
        name, kind = str(_one(layer, "name", "")), str(_one(layer, "type", "")).upper().replace("_", "")
        if kind in _SKIPPED or _only_training(layer):
            continue
        make = _KINDS.get(kind)
        if make is None:
            known = ", ".join(sorted(key.lower() for key in _KINDS))
            raise FormatError(f"layer '{name}': type {_one(layer, 'type', 'none')} is not one of {known}")
        # The labels of a loss are not an input of the network.
        sources = layer.get("bottom", [])[:1] if kind.endswith("LOSS") else layer.get("bottom", [])
        if len(sources) != 1 or (last is not None and sources[0] != last):
            raise FormatError(f"layer '{name}': only chains of layers can be loaded (got inputs {sources})")
        last = str(_one(layer, "top", name))
        found.append({"name": name, **make(layer, name, parameters.get(name, []))})
    if not found:
        raise FormatError("no layers")
    return found


def _only_training(layer: Message) -> bool:
    phases = [_one(rule, "phase", None) for rule in layer.get("include", []) if isinstance(rule, dict)]
    return bool(phases) and all(phase in ("TRAIN", 0) for phase in phases)


def _one(fields: Message, name: str, default: Any) -> Any:
    return fields.get(name, [default])[-1]


def _param(layer: Message, name: str) -> Message:
    value = _one(layer, f"{name}_param", {})
    if not isinstance(value, dict):
        raise FormatError(f"layer '{_one(layer, 'name', '')}': {name}_param must be a message")
    return value


def _number(fields: Message, name: str, default: float) -> float:
    value = _one(fields, name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FormatError(f"{name} must be a number (got {value!r})")
    return value


def _pair(fields: Message, name: str, short: str, default: int | None) -> list[int]:
    """Height and width, which may be one number, two, or in two fields."""
    values = fields.get(name, [])
    if f"{short}_h" in fields or f"{short}_w" in fields:
        values = [_one(fields, f"{short}_h", default), _one(fields, f"{short}_w", default)]
    values = values or [default]
    if len(values) > 2 or any(
        isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < 2**31 for n in values
    ):
        raise FormatError(f"{name} must be one or two whole numbers (got {values})")
    return [values[0], values[-1]]


def _window(fields: Message) -> Layer:
    kernel, stride = _pair(fields, "kernel_size", "kernel", None), _pair(fields, "stride", "stride", 1)
    pad = _pair(fields, "pad", "pad", 0)
    return {
        "kH": kernel[0],
        "kW": kernel[1],
        "dH": stride[0],
        "dW": stride[1],
        "padH": pad[0],
        "padW": pad[1],
    }


def _weights(name: str, found: list[Array], shape: list[int], bias: bool) -> Layer:
    """The parameters of a layer; -1 in the shape of the weight is for what the file tells."""
    if len(found) != 1 + bias:
        raise FormatError(f"layer '{name}': expected {1 + bias} blobs in the caffemodel (got {len(found)})")
    weight = found[0]
    known = int(np.prod([n for n in shape if n != -1], dtype=object))
    if not weight.size or not known or weight.size % known:
        raise FormatError(f"layer '{name}': weights of {shape} expected (got {list(weight.shape)})")
    if bias and found[1].size != shape[0]:
        raise FormatError(f"layer '{name}': {shape[0]} biases expected (got {found[1].size})")
    return {"weight": weight.reshape(shape), **({"bias": found[1].reshape(-1)} if bias else {})}


def _convolution(layer: Message, name: str, found: list[Array]) -> Layer:
    fields = _param(layer, "convolution")
    groups, outputs = int(_number(fields, "group", 1)), int(_number(fields, "num_output", 0))
    window, dilation = _window(fields), _pair(fields, "dilation", "dilation", 1)
    weights = _weights(
        name, found, [outputs, -1, window["kH"], window["kW"]], bool(_one(fields, "bias_term", True))
    )
    return {
        "kind": "convolution", **window, **weights, "groups": groups, "outputs": outputs,
        "inputs": weights["weight"].shape[1] * groups, "dilationH": dilation[0], "dilationW": dilation[1],
    }  # fmt: skip


def _pooling(layer: Message, name: str, found: list[Array]) -> Layer:
    fields = _param(layer, "pooling")
    method = str(_one(fields, "pool", "MAX"))
    if method not in ("MAX", "AVE", "0", "1"):
        raise FormatError(f"layer '{name}': pooling MAX or AVE expected (got {method})")
    whole = bool(_one(fields, "global_pooling", False))
    window = {} if whole else _window(fields)
    return {"kind": "pooling", "average": method in ("AVE", "1"), "whole": whole, **window}


def _lrn(layer: Message, name: str, found: list[Array]) -> Layer:
    fields = _param(layer, "lrn")
    if str(_one(fields, "norm_region", "ACROSS_CHANNELS")) not in ("ACROSS_CHANNELS", "0"):
        raise FormatError(f"layer '{name}': normalization across channels expected")
    return {
        "kind": "lrn", "size": _number(fields, "local_size", 5), "alpha": _number(fields, "alpha", 1),
        "beta": _number(fields, "beta", 0.75), "k": _number(fields, "k", 1),
    }  # fmt: skip


def _linear(layer: Message, name: str, found: list[Array]) -> Layer:
    fields = _param(layer, "inner_product")
    outputs = int(_number(fields, "num_output", 0))
    return {"kind": "linear", **_weights(name, found, [outputs, -1], bool(_one(fields, "bias_term", True)))}


def _relu(layer: Message, name: str, found: list[Array]) -> Layer:
    return {"kind": "relu", "slope": _number(_param(layer, "relu"), "negative_slope", 0)}


def _dropout(layer: Message, name: str, found: list[Array]) -> Layer:
    return {"kind": "dropout", "ratio": _number(_param(layer, "dropout"), "dropout_ratio", 0.5)}


def _plain(kind: str) -> Callable[[Message, str, list[Array]], Layer]:
    return lambda layer, name, found: {"kind": kind}


_KINDS: dict[str, Callable[[Message, str, list[Array]], Layer]] = {
    "CONVOLUTION": _convolution,
    "POOLING": _pooling,
    "LRN": _lrn,
    "INNERPRODUCT": _linear,
    "RELU": _relu,
    "DROPOUT": _dropout,
    "TANH": _plain("tanh"),
    "SIGMOID": _plain("sigmoid"),
    "ABSVAL": _plain("abs"),
    "FLATTEN": _plain("flatten"),
    "SOFTMAX": _plain("softmax"),
    "SOFTMAXLOSS": _plain("softmax"),
    "SOFTMAXWITHLOSS": _plain("softmax"),
}
