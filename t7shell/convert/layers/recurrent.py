"""Recurrent networks of cudnn over whole sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.network import Module, module

# Operators, and the order of gates in them, by the mode of the module.
_MODES = {
    "LSTM": ("LSTM", [0, 3, 1, 2]),
    "GRU": ("GRU", [1, 0, 2]),
    "RNNTanh": ("RNN", [0]),
    "RNNReLU": ("RNN", [0]),
}


@module("cudnn.RNN", "cudnn.RNNReLU", "cudnn.RNNTanh", "cudnn.LSTM", "cudnn.GRU", "cudnn.BLSTM", "cudnn.BGRU")
def recurrent(g: Graph, m: Module, x: Value) -> Value:
    """Layers of recurrent cells, in one or two directions, that begin with zeros."""
    if m.get("hiddenInput") is not None or m.get("cellInput") is not None or m.get("rememberStates"):
        raise ConvertError("a first state that is not zero")
    if x.rank != 3:
        raise ConvertError("sequence x batch x input expected")
    op, order = _MODES[m.get("mode", m.name.partition(".")[2])]
    hidden, layers, directions = m.hiddenSize, m.numLayers, m.get("directions", 1)
    gates = len(order)
    flat, at, count = m.array("weight"), 0, layers * directions
    matrices, inputs = [], m.inputSize
    for i in range(count):
        inputs = m.inputSize if i < directions else hidden * directions
        w, r = gates * hidden * inputs, gates * hidden * hidden
        matrices.append(
            (
                flat[at : at + w].reshape(gates, hidden, inputs),
                flat[at + w : at + w + r].reshape(gates, hidden, hidden),
            )
        )
        at += w + r
    biases = flat[at : at + 2 * count * gates * hidden].reshape(count, 2, gates, hidden)
    if m.get("batchFirst"):
        x = g.swap(x, 0, 1)
    for layer in range(layers):
        part = range(layer * directions, (layer + 1) * directions)
        W = np.stack([matrices[i][0][order].reshape(gates * hidden, -1) for i in part])
        R = np.stack([matrices[i][1][order].reshape(gates * hidden, -1) for i in part])
        B = np.stack([biases[i][:, order].reshape(-1) for i in part])
        extra: dict[str, Any] = {"linear_before_reset": 1} if op == "GRU" else {}
        if op == "RNN":
            extra = {"activations": ["Relu" if m.mode == "RNNReLU" else "Tanh"] * directions}
        y = g.add(
            op,
            x,
            g.constant(W, f"W{layer}"),
            g.constant(R, f"R{layer}"),
            g.constant(B, f"B{layer}"),
            hidden_size=hidden,
            direction="bidirectional" if directions == 2 else "forward",
            **extra,
        )
        y = g.transpose(y, (0, 2, 1, 3))
        x = g.reshape(y, (y.shape[0], y.shape[1], directions * hidden))
    return g.swap(x, 0, 1) if m.get("batchFirst") else x
