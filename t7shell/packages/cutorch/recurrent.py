"""Recurrent networks over whole sequences, by PyTorch's own, which are cuDNN's on its GPUs."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch.registry import accumulate, module_function, needs

Tensor: TypeAlias = torch.Tensor

# Weights are parts of one vector in Torch7's order; cuDNN copies them into its own, in no measurable time.
warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous chunk")


class _Run:
    """The last forward of a recurrent network: its inputs and results, and the gradient of its weights."""

    def __init__(self, x: Tensor, weights: Tensor, results: list[Tensor]) -> None:
        self.x, self.weights, self.results = x, weights, results
        self.gradient: Tensor | None = None


_GATES = {"LSTM": 4, "GRU": 3, "RNNReLU": 1, "RNNTanh": 1}


def _parts(
    weights: Tensor, mode: str, inputs: int, hidden: int, layers: int, directions: int
) -> list[Tensor]:
    """Matrices and biases of a flat vector, in PyTorch's order; all matrices come before the biases."""
    rows, at = _GATES[mode] * hidden, 0
    matrices: list[list[Tensor]] = []
    for layer in range(layers):
        wide = inputs if layer == 0 else hidden * directions
        for _ in range(directions):
            pair = []
            for width in (wide, hidden):
                pair.append(weights.narrow(0, at, rows * width).view(rows, width))
                at += rows * width
            matrices.append(pair)
    parts: list[Tensor] = []
    for pair in matrices:
        parts += [*pair, weights.narrow(0, at, rows), weights.narrow(0, at + rows, rows)]
        at += 2 * rows
    needs(at == weights.numel())
    return parts


@module_function
def _recurrent(
    mode: str,
    x: Tensor,
    weights: Tensor,
    hidden_state: Tensor | None,
    cell_state: Tensor | None,
    hidden: float,
    layers: float,
    directions: float,
    batch_first: bool,
    dropout: float,
    train: bool,
) -> Any:
    hidden, layers, directions = int(hidden), int(layers), int(directions)
    function = {"LSTM": "lstm", "GRU": "gru", "RNNReLU": "rnn_relu", "RNNTanh": "rnn_tanh"}[mode]
    with torch.enable_grad():
        x, weights = x.detach().requires_grad_(), weights.detach().requires_grad_()
        sequence = x.unsqueeze(1) if x.dim() == 2 else x
        batch = sequence.size(0 if batch_first else 1)
        sizes = (layers * directions, batch, hidden)
        first = [
            x.new_zeros(sizes) if state is None else state.reshape(sizes).clone()
            for state in ([hidden_state, cell_state] if mode == "LSTM" else [hidden_state])
        ]
        parts = _parts(weights, mode, sequence.size(2), hidden, layers, directions)
        results = getattr(torch, function)(
            sequence,
            first if mode == "LSTM" else first[0],
            parts,
            True,
            layers,
            float(dropout),
            train,
            directions == 2,
            batch_first,
        )
        output = results[0].squeeze(1) if x.dim() == 2 else results[0]
    run = _Run(x, weights, [output, *results[1:]])
    return (run, *(result.detach() for result in run.results))


@module_function
def _recurrent_input(run: _Run, g: Tensor, hidden: Tensor | None, cell: Tensor | None) -> Tensor:
    pairs = [(run.results[0], g)]
    for result, gradient in zip(run.results[1:], (hidden, cell), strict=False):
        if gradient is not None:
            pairs.append((result, gradient.reshape(result.shape)))
    x, run.gradient = torch.autograd.grad(
        [result for result, _ in pairs],
        [run.x, run.weights],
        [gradient for _, gradient in pairs],
        retain_graph=True,
    )
    return x


@module_function
def _recurrent_parameters(run: _Run, gw: Tensor, scale: float) -> None:
    if run.gradient is None:
        raise ValueError
    accumulate(gw, run.gradient, scale)
