"""PyTorch modules (``.py``) from networks: the source of a class, whose weights are in a ``.pt`` file."""

from __future__ import annotations

import keyword
import os
import re
import sys
from typing import Any

import numpy as np

from t7shell.convert import Options
from t7shell.convert.comparison import compare, outputs_of, random_inputs
from t7shell.convert.graph import Graph, Node, Value
from t7shell.convert.network import trace_file
from t7shell.convert.pytorch_expressions import EXPRESSIONS, literal
from t7shell.convert.pytorch_layers import layer_of
from t7shell.host import encoding
from t7shell.host.atomic_write import replacing_path
from t7shell.t7file.model import Array

TOLERANCE = 1e-4
UNCHECKED = "not compared with t7: PyTorch is not installed"

_TEMPLATE = '''\
"""The network of {file} as a PyTorch module, converted by t7.

    network = {name}()
    network.load_state_dict(torch.load("{stem}.pt", weights_only=True))
    network.eval()
"""

import torch
import torch.nn.functional as F
from torch import nn


class {name}(nn.Module):
    """Takes {takes}; gives {gives}. n is the size of the batch."""

    def __init__(self):
        super().__init__()
{layers}

    def forward(self, {inputs}):
{lines}
        return {outputs}
'''


def write(source: str, target: str, options: Options) -> None:
    """Writes the network of a ``.t7`` file as a class; prints the difference of its results from those of t7.

    Raises ConvertError if a module cannot be converted, and if results differ; then no file is written.
    """
    made = module_of(source, target, options)
    report = made.check(source)
    with replacing_path(target) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(made.source)
    encoding.tell(f"{target}: class {made.name}; {report}\n", sys.stdout)


def module_of(source: str, target: str, options: Options) -> PyTorchModule:
    """Returns the class of the network of a file."""
    return PyTorchModule(trace_file(source, options.inputs, options.key), source, target)


class PyTorchModule:
    """The class of a graph: its `name`, its `source`, and its `state`, arrays by names of the state_dict."""

    def __init__(self, graph: Graph, source: str, target: str) -> None:
        self.graph = graph
        self.state: dict[str, Array] = {}
        self._layers: list[str] = []
        self._known: dict[Any, str] = {}
        stem = os.path.splitext(os.path.basename(target))[0]
        self.name = _class_name(stem)
        self._names = _Names(graph)
        inputs = ", ".join(self._names.of(x) for x in graph.inputs)
        lines = [line for node in graph.nodes for line in self._line(node)]
        self.source = _TEMPLATE.format(
            file=_shown(os.path.basename(source)),
            stem=_shown(stem),
            name=self.name,
            inputs=inputs,
            takes=_shapes(graph.inputs),
            gives=_shapes(graph.outputs),
            layers="\n".join(f"        {line}" for line in self._layers) or "        pass",
            lines="\n".join(f"        {line}" for line in lines) or "        pass",
            outputs=", ".join(self._names.of(x) if x.data is None else self._input(x) for x in graph.outputs),
        )
        if not self._layers:
            self.source = self.source.replace(
                "        super().__init__()\n        pass\n", "        super().__init__()\n"
            )
        self.source = self.source.replace("        pass\n        return", "        return")

    def _line(self, node: Node) -> list[str]:
        layer = layer_of(node)
        if layer:
            kind, constructor, weights, call = layer
            sources = [x for x in node.inputs if x and x.data is None]
            name = self._layer(kind, constructor, weights, node)
            text = call.format(f"self.{name}", self._names.of(sources[0]))
        else:
            text = EXPRESSIONS[node.op]([self._input(x) for x in node.inputs if x], node)
        target = self._names.assign(node)
        where = f"{node.path}: {node.module}" if node.path else node.module
        line = f"{target} = {text}"
        comment, self._last = where != getattr(self, "_last", None), where
        return [f"{line}  # {where}" if comment else line]

    def _layer(self, kind: str, constructor: str, weights: dict[str, Array], node: Node) -> str:
        """Returns the attribute of a layer; modules that share their weights are one layer."""
        key = (constructor, tuple(id(x) for x in node.inputs if x and x.data is not None))
        if key not in self._known:
            name = self._attribute(kind, node.path)
            self._known[key] = name
            self._layers.append(f"self.{name} = {constructor}")
            self.state.update({f"{name}.{field}": _plain(array) for field, array in weights.items()})
        return self._known[key]

    def _attribute(self, kind: str, path: str) -> str:
        base = re.sub(r"\W", "_", f"{kind}_{path}" if path else kind)
        name, count = base, 1
        while name in self._known.values():
            count += 1
            name = f"{base}_{count}"
        return name

    def _input(self, x: Value) -> str:
        if x.data is None:
            return self._names.of(x)
        if x.data.ndim == 0:
            return literal(x.data.item())
        if id(x) not in self._known:
            *path, field = (x.parameter or x.name).split(".")
            name = self._attribute(field, "_".join(path))
            self._known[id(x)] = name
            kind = f"torch.zeros({literal(x.shape)}{', dtype=torch.long' if x.dtype == 'int64' else ''})"
            learnt = x.parameter and x.dtype == "float" and field in ("weight", "bias", "diagCov")
            self._layers.append(
                f"self.{name} = nn.Parameter({kind})" if learnt else f'self.register_buffer("{name}", {kind})'
            )
            self.state[name] = _plain(x.data, np.int64 if x.dtype == "int64" else np.float32)
        return f"self.{self._known[id(x)]}"

    def check(self, source: str) -> str:
        """Runs the class if PyTorch is installed, and reports the difference of its results from those of
        t7.
        """
        try:
            import torch
        except ImportError:
            return UNCHECKED
        inputs = random_inputs(self.graph)
        difference = compare(outputs_of(source, self.graph, inputs), self.run(torch, inputs), TOLERANCE)
        return f"{difference}{f'; all sizes are fixed ({self.graph.fixed})' if self.graph.fixed else ''}"

    def run(self, torch: Any, inputs: list[Array]) -> list[Array]:
        """Returns the outputs of the class for some inputs, by the imported PyTorch."""
        scope: dict[str, Any] = {"__name__": "network"}
        exec(compile(self.source, f"{self.name}.py", "exec"), scope)
        made = scope[self.name]()
        made.load_state_dict({key: torch.from_numpy(np.array(array)) for key, array in self.state.items()})
        made.eval()
        with torch.no_grad():
            found = made(*(torch.from_numpy(np.array(x)) for x in inputs))
        return [np.asarray(y) for y in (found if isinstance(found, tuple) else (found,))]


def _plain(array: Array, dtype: Any = None) -> Array:
    wanted = dtype or (np.float32 if array.dtype.kind == "f" else array.dtype)
    # `ascontiguousarray` gives scalars a dimension.
    with np.errstate(over="ignore"):
        plain: Array = np.ascontiguousarray(array, dtype=wanted).reshape(array.shape)
    return plain


def _class_name(stem: str) -> str:
    name = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", stem))
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Network{name}"


def _shown(name: str) -> str:
    """A file name that is safe in a string of the source."""
    return re.sub(r"[^\w .+-]", "_", name)


def _shapes(values: list[Value]) -> str:
    return ", ".join(
        " x ".join("n" if d in x.free else str(n) for d, n in enumerate(x.shape)) for x in values
    )


class _Names:
    """Names of variables: `x` for a single live value, x2, x3, ... for more."""

    def __init__(self, graph: Graph) -> None:
        self.last: dict[int, int] = {}
        for i, node in enumerate(graph.nodes):
            self.last.update({id(x): i for x in node.inputs if x and x.data is None})
        self.last.update({id(x): len(graph.nodes) for x in graph.outputs})
        self.index = {id(node): i for i, node in enumerate(graph.nodes)}
        self.names: dict[int, str] = {}
        self.used: dict[str, int] = {}
        for x in graph.inputs:
            self._give(x)

    def of(self, x: Value) -> str:
        """Returns the name of a value."""
        return self.names[id(x)]

    def assign(self, node: Node) -> str:
        """Returns a name for the output of a node: that of an input which is not used again, if possible."""
        now = self.index[id(node)]
        self.used = {name: value for name, value in self.used.items() if self.last.get(value, -1) > now}
        return self._give(node.output)

    def _give(self, x: Value) -> str:
        count = 1
        while (name := "x" if count == 1 else f"x{count}") in self.used:
            count += 1
        self.used[name] = id(x)
        self.names[id(x)] = name
        return name
