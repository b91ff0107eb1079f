"""Networks made in Lua, converted, and run by other libraries."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime, t7file
from t7shell.convert import onnx_model
from t7shell.convert.comparison import compare, outputs_of, random_inputs
from t7shell.convert.graph import Graph
from t7shell.convert.network import trace
from t7shell.convert.onnx_messages import Model
from t7shell.convert.pytorch_source import PyTorchModule

TOLERANCE = 1e-5

# Biases, running means and variances that are not those of a new module.
_SAVE = """
require 'nn'; require 'nngraph'; require 'cudnn'; require 'dpnn'; require 'rnn'
torch.manualSeed(1)
return function(make, path)
   local net = assert(loadstring('return ' .. make))()
   for _, m in ipairs(net:listModules()) do
      if m.running_mean then m.running_mean:uniform(-1, 1); m.running_var:uniform(0.5, 2) end
      if m.train ~= nil and torch.isTensor(m.weight) and m.running_mean then m.bias:uniform(-1, 1) end
   end
   torch.save(path, net)
end
"""


@pytest.fixture(scope="session")
def save_network() -> Iterator[Callable[[str, Path], None]]:
    """save_network(constructor, path): writes a network with random parameters."""
    with open(os.devnull, "w") as sink, contextlib.redirect_stderr(sink), Runtime() as lua:
        save = lua.execute(_SAVE)
        yield lambda make, path: save(make, str(path))


@functools.cache
def _runtime(packages: frozenset[str]) -> Runtime:
    """A Runtime for the networks that need these packages: none sees a package that it does not name."""
    return Runtime()


class Conversion:
    """A network in a file, its graph, and its outputs in t7 for random inputs."""

    def __init__(self, path: Path, shapes: Sequence[tuple[int, ...]]) -> None:
        self.path = path
        self.graph: Graph = trace(t7file.load(path), shapes)
        self.inputs = random_inputs(self.graph)
        self.outputs = outputs_of(
            str(path), self.graph, self.inputs, _runtime(frozenset(self.graph.packages))
        )

    def compare(self) -> None:
        """Compares with onnxruntime and with the PyTorch module, where these are installed."""
        if not self._compare_onnx() + self._compare_pytorch():
            pytest.skip("neither onnxruntime nor PyTorch is installed")

    def _compare_onnx(self) -> int:
        if not _installed("onnx", "onnxruntime"):
            return 0
        target = str(self.path.with_suffix(".onnx"))
        model = Model(self.graph)
        model.check()
        model.write(target)
        compare(self.outputs, onnx_model.run(target, self.inputs), TOLERANCE)
        return 1

    def _compare_pytorch(self) -> int:
        if not _installed("torch"):
            return 0
        module = PyTorchModule(self.graph, self.path.name, "network.py")
        compare(self.outputs, module.run(import_module("torch"), self.inputs), TOLERANCE)
        return 1


def _installed(*names: str) -> bool:
    for name in names:
        try:
            import_module(name)
        except ImportError:
            return False
    return True


@pytest.fixture
def convert(save_network: Callable[[str, Path], None], tmp_path: Path) -> Callable[..., Conversion]:
    """convert(constructor, shape, ..., change=f): a network, traced for inputs of these shapes.

    `change` edits the fields in the file before.
    """

    def make(
        constructor: str, *shapes: tuple[int, ...], change: Callable[[Any], None] | None = None
    ) -> Conversion:
        path = tmp_path / "network.t7"
        save_network(constructor, path)
        if change:
            network = t7file.load(path)
            change(network.fields)
            t7file.save(network, path)
        return Conversion(path, shapes)

    return make


def finite(arrays: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Tells if all elements are numbers, and not all the same."""
    return all(np.isfinite(a).all() for a in arrays) and any(np.ptp(a) > 0 for a in arrays)
