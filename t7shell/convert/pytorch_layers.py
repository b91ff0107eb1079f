"""Layers of PyTorch for the operators of a graph whose weights are constants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from t7shell.convert.graph import Node, Value
from t7shell.convert.pytorch_expressions import literal, rank, sizes
from t7shell.t7file.model import Array

# The name of a layer, its constructor, its weights by name, and the call of layer {0} with the input {1}.
Layer = tuple[str, str, dict[str, Array], str]


def _data(x: Value | None) -> Array:
    assert x is not None and x.data is not None
    return x.data


def _conv(node: Node) -> Layer:
    a, weight = node.attributes, _data(node.inputs[1])
    n, transposed = weight.ndim - 2, node.op == "ConvTranspose"
    planes = (weight.shape[0], weight.shape[1] * a["group"])
    words = [
        literal(planes[0] if transposed else planes[1]),
        literal(planes[1] if transposed else planes[0]),
        sizes(a["kernel_shape"]),
    ]
    named = {
        "stride": a["strides"],
        "padding": a["pads"][:n],
        "output_padding": a.get("output_padding", [0] * n),
        "dilation": a["dilations"],
    }
    for key, values in named.items():
        if set(values) != {int(key in ("stride", "dilation"))}:
            words.append(f"{key}={sizes(values)}")
    words += [f"groups={literal(a['group'])}"] if a["group"] != 1 else []
    weights = {"weight": weight}
    if node.inputs[2] is None:
        words.append("bias=False")
    else:
        weights["bias"] = _data(node.inputs[2])
    kind = f"ConvTranspose{n}d" if transposed else f"Conv{n}d"
    return kind.lower(), f"nn.{kind}({', '.join(words)})", weights, "{0}({1})"


def _linear(node: Node) -> Layer:
    weight, bias = _data(node.inputs[1]), node.inputs[2]
    text = f"nn.Linear({weight.shape[1]}, {weight.shape[0]}{'' if bias else ', bias=False'})"
    return "linear", text, {"weight": weight, **({"bias": _data(bias)} if bias else {})}, "{0}({1})"


def _batch_norm(node: Node) -> Layer:
    names = ("weight", "bias", "running_mean", "running_var")
    weights = {name: _data(x) for name, x in zip(names, node.inputs[1:], strict=True)}
    weights["num_batches_tracked"] = np.asarray(0, dtype=np.int64)
    n = max(rank(node) - 2, 1)
    text = f"nn.BatchNorm{n}d({len(weights['weight'])}, eps={literal(node.attributes['epsilon'])})"
    return "batch_norm", text, weights, "{0}({1})"


def _prelu(node: Node) -> Layer:
    weight = _data(node.inputs[1]).reshape(-1)
    return "prelu", f"nn.PReLU({len(weight)})", {"weight": weight}, "{0}({1})"


# The order of PyTorch's gates in those of ONNX.
_GATES = {"LSTM": [0, 2, 3, 1], "GRU": [1, 0, 2], "RNN": [0]}


def _recurrent(node: Node) -> Layer:
    hidden, order = node.attributes["hidden_size"], _GATES[node.op]
    w, r, b = (_data(x) for x in node.inputs[1:4])
    weights: dict[str, Array] = {}
    for d in range(len(w)):
        end = "_reverse" if d else ""

        def sorted_gates(array: Array) -> Array:
            return np.ascontiguousarray(
                array.reshape(len(order), hidden, -1)[order].reshape(len(order) * hidden, -1)
            )

        weights[f"weight_ih_l0{end}"] = sorted_gates(w[d])
        weights[f"weight_hh_l0{end}"] = sorted_gates(r[d])
        half = len(order) * hidden
        weights[f"bias_ih_l0{end}"] = sorted_gates(b[d][:half])[:, 0]
        weights[f"bias_hh_l0{end}"] = sorted_gates(b[d][half:])[:, 0]
    words = [str(w.shape[2]), literal(hidden)]
    words += ['nonlinearity="relu"'] if node.attributes.get("activations", ["Tanh"])[0] == "Relu" else []
    words += ["bidirectional=True"] if len(w) == 2 else []
    # The layout of ONNX: sequence x directions x batch x hidden.
    call = f"{{0}}({{1}})[0].unflatten(2, ({len(w)}, {literal(hidden)})).transpose(1, 2)"
    return node.op.lower(), f"nn.{node.op}({', '.join(words)})", weights, call


def layer_of(node: Node) -> Layer | None:
    """Returns the layer of a node whose weights are constants; None for the others."""
    constant = [x is None or x.data is not None for x in node.inputs]
    if node.op == "Gather":
        if constant != [True, False] or node.attributes["axis"] != 0 or rank(node) != 2:
            return None
        weight = _data(node.inputs[0])
        text = f"nn.Embedding({weight.shape[0]}, {weight.shape[1]})"
        return "embedding", text, {"weight": weight}, "{0}({1})"
    if node.op == "PRelu" and _plane_slopes(node):
        return _prelu(node)
    if node.op in _LAYERS and not constant[0] and all(constant[1:]):
        return _LAYERS[node.op](node)
    return None


def _plane_slopes(node: Node) -> bool:
    """Tells whether slopes belong to the second dimension, as in PyTorch."""
    x, slope = node.inputs
    assert x is not None and slope is not None
    return slope.shape == (1,) or (
        x.rank > 1 and slope.rank == x.rank - 1 and _data(slope).size == x.shape[1]
    )


_LAYERS: dict[str, Callable[[Node], Layer]] = {
    "Conv": _conv,
    "ConvTranspose": _conv,
    "Gemm": _linear,
    "BatchNormalization": _batch_norm,
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent),
}
