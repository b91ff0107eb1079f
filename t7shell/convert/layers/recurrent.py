"""Recurrent networks of cudnn and rnn over whole sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.registry import Module, module, unsupported
from t7shell.t7file.model import Array

# Operators, and the order of gates in them, by the mode of the module.
_MODES = {
    "LSTM": ("LSTM", [0, 3, 1, 2]),
    "GRU": ("GRU", [1, 0, 2]),
    "RNNTanh": ("RNN", [0]),
    "RNNReLU": ("RNN", [0]),
}


@module("cudnn.RNN cudnn.RNNReLU cudnn.RNNTanh cudnn.LSTM cudnn.GRU cudnn.BLSTM cudnn.BGRU")
def recurrent(g: Graph, m: Module, x: Value) -> Value:
    """Layers of recurrent cells, in one or two directions, with initial states of zero."""
    if m.get("hiddenInput") is not None or m.get("cellInput") is not None or m.get("rememberStates"):
        raise ConvertError("a first state that is not zero")
    if x.rank != 3:
        raise ConvertError("expected sequence x batch x input")
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
        x = _layer(g, op, x, W, R, B, str(layer), **extra)
    return g.swap(x, 0, 1) if m.get("batchFirst") else x


def _layer(g: Graph, op: str, x: Value, W: Array, R: Array, B: Array, name: str, **extra: Any) -> Value:
    """One layer; the weights have a row for each direction."""
    directions, hidden = len(W), R.shape[-1]
    constants = (g.constant(array, letter + name) for letter, array in (("W", W), ("R", R), ("B", B)))
    direction = "bidirectional" if directions == 2 else "forward"
    y = g.transpose(g.add(op, x, *constants, hidden_size=hidden, direction=direction, **extra), (0, 2, 1, 3))
    return g.reshape(y, (y.shape[0], y.shape[1], directions * hidden))


@module("SeqLSTM")
def sequence_lstm(g: Graph, m: Module, x: Value) -> Value:
    """A layer of rnn, whose gates are columns of the weight: input, forget, output, candidate."""
    if isinstance(x, list) or m.get("userPrevOutput") is not None or m.get("userPrevCell") is not None:
        raise ConvertError("a first state that is not zero")
    if m.get("_remember", "neither") in ("both", "eval"):
        raise ConvertError("a state that lasts from one call to the next (remember)")
    if m.get("maskzero"):
        raise ConvertError("samples of zeros that reset the state (maskzero)")
    if m.get("weightO") is not None:
        raise ConvertError("a projection of the output")
    if x.rank != 3:
        raise ConvertError("expected sequence x batch x input")
    inputs, hidden = m.sizes("inputsize", "hiddensize")
    weight, bias = m.array("weight"), m.array("bias")
    gates = weight.T.reshape(4, hidden, inputs + hidden)[[0, 2, 1, 3]].reshape(1, 4 * hidden, -1)
    both = np.concatenate([bias.reshape(4, hidden)[[0, 2, 1, 3]].reshape(-1), np.zeros(4 * hidden)])
    x = g.swap(x, 0, 1) if m.get("batchfirst") else x
    y = _layer(g, "LSTM", x, gates[:, :, :inputs], gates[:, :, inputs:], both[None], "")
    return g.swap(y, 0, 1) if m.get("batchfirst") else y


unsupported(
    "keeps a state from step to step; nn.SeqLSTM and the recurrent classes of cudnn can be converted",
    "AbstractRecurrent AbstractSequencer BiSequencer BiSequencerLM FastLSTM GRU LSTM LinearRNN LookupRNN "
    "MuFuRu NormStabilizer RecGRU RecLSTM Recurrence Recurrent RecurrentAttention Recursor Repeater SeqBGRU "
    "SeqBLSTM SeqBRNN SeqGRU SeqLSTMP Sequencer StepGRU StepLSTM VariableLength",
)
unsupported("what it does depends on zeros in the input", "LookupTableMaskZero MaskZero TrimZero")
unsupported(
    "reverses a dimension whose size is free in the model",
    "ReverseSequence ReverseUnreverse SeqReverseSequence",
)
