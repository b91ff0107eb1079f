"""Runs a network in t7 and compares its outputs with those of another library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from t7shell.bridge.models import load_model
from t7shell.bridge.runtime import Runtime
from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph
from t7shell.engine.errors import LuaError
from t7shell.t7file.model import Array

# Differs from the batch sizes of the traces.
BATCH = 3


class Difference(NamedTuple):
    """The largest difference of an output, and the same relative to the largest element of t7's output."""

    absolute: float
    relative: float

    def __str__(self) -> str:
        return f"largest difference from t7: {self.absolute:.1e} absolute, {self.relative:.1e} relative"


def random_inputs(graph: Graph) -> list[Array]:
    """Returns inputs for a graph, the same ones each time: normal numbers, or indices within bounds."""
    random = np.random.default_rng(1)
    found: list[Array] = []
    for x in graph.inputs:
        shape = x.shape if graph.fixed else (BATCH, *x.shape[1:])
        if x.name in graph.limits:
            found.append(random.integers(1, graph.limits[x.name] + 1, shape))
        else:
            found.append(random.standard_normal(shape).astype(np.float32))
    return found


def outputs_of(
    path: str, graph: Graph, inputs: Sequence[Array], runtime: Runtime | None = None
) -> list[Array]:
    """Returns the outputs of a network in t7, in float and for evaluation, by default of a new Runtime.

    Raises ConvertError.
    """
    with nullcontext(runtime) if runtime else Runtime() as lua:
        try:
            for package in ("nn", "nngraph", *sorted(graph.packages & {"cudnn", "cunn", "dpnn"})):
                lua.require(package)
            model = load_model(path, key=graph.key, runtime=lua).float().eval()
            return list(_flat(model(inputs[0] if len(inputs) == 1 else list(inputs))))
        except LuaError as reason:
            raise ConvertError(f"t7 cannot run the network: {reason.message}") from None


def _flat(output: Any) -> Iterator[Array]:
    """The arrays of nested lists, in float."""
    if isinstance(output, np.ndarray):
        yield output.astype(np.float32, copy=False)
    else:
        for item in output:
            yield from _flat(item)


def compare(expected: Sequence[Array], found: Sequence[Array], tolerance: float) -> Difference:
    """Returns the difference of outputs from those of t7. Raises ConvertError above a tolerance."""
    shapes = [[tuple(y.shape) for y in outputs] for outputs in (expected, found)]
    if shapes[0] != shapes[1]:
        raise ConvertError(f"outputs have shapes {shapes[1]}, those of t7 are {shapes[0]}")
    absolute = relative = 0.0
    for wanted, got in zip(expected, found, strict=True):
        wanted, got = wanted.astype(np.float64), got.astype(np.float64)
        same = (wanted == got) | (np.isnan(wanted) & np.isnan(got))
        with np.errstate(invalid="ignore"):
            different = np.where(same, 0.0, np.abs(wanted - got))
        finite = np.abs(wanted[np.isfinite(wanted)])
        largest = float(np.max(different, initial=0.0))
        absolute = max(absolute, largest)
        relative = max(relative, largest / max(float(np.max(finite, initial=0.0)), 1e-30) if largest else 0.0)
        if not np.isfinite(different).all():
            absolute = relative = np.inf
    found_difference = Difference(float(absolute), float(relative))
    if not relative <= tolerance:
        raise ConvertError(f"{found_difference}, more than {tolerance:.0e}; no file is written")
    return found_difference
