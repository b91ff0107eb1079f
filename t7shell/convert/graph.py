"""Graphs of operators over values of known shape, the intermediate form between networks and ONNX or PyTorch.

Operators and attributes are those of ONNX, but shapes, axes, bounds and padding are always attributes.
A graph is traced for one batch size. `free_batch` compares two traces, and removes the batch size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.shapes import shape_of
from t7shell.t7file.model import Array

Shape = tuple[int, ...]

# Means "to the end" in slices.
END = 2**31 - 1

# Limits against damaged files: operators, and elements of a tensor.
MAX_NODES, _MAX_ELEMENTS = 200_000, 2**31

# Operators whose result is not of the type of their first input.
_TYPES = {"Less": "bool", "Greater": "bool", "Equal": "bool", "Not": "bool", "Or": "bool", "ArgMax": "int64"}


@dataclass(eq=False)
class Value:
    """A tensor of the graph. Constants have `data`; `parameter` is the dotted name in the network."""

    name: str
    shape: Shape
    dtype: str = "float"
    data: Array | None = None
    parameter: str = ""
    # Dimensions that depend on the batch size.
    free: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(eq=False)
class Node:
    """An operator: `path` and `module` say which module of the network it belongs to."""

    op: str
    inputs: list[Value | None]
    output: Value
    attributes: dict[str, Any]
    path: str
    module: str


@dataclass
class Graph:
    """Nodes in the order of work. `g.Relu(x)` appends a node and returns its output."""

    inputs: list[Value] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    # Bounds of the values of inputs that are indices.
    limits: dict[str, int] = field(default_factory=dict)
    # Why the batch size is fixed; empty if it is free.
    fixed: str = ""
    # The entry of the file that is the network, if the file holds a table.
    key: Any = None
    # Packages of the modules.
    packages: set[str] = field(default_factory=set)
    path: str = ""
    module: str = ""
    # Arrays by address and layout: modules that share a weight share the constant.
    _constants: dict[Any, Value] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def __getattr__(self, op: str) -> Callable[..., Value]:
        if not op[0].isupper():
            raise AttributeError(op)
        return lambda *inputs, **attributes: self.add(op, *inputs, **attributes)

    def add(self, op: str, *inputs: Value | Array | float | None, **attributes: Any) -> Value:
        """Appends a node and returns its output. Numbers and arrays become constants."""
        given = [self._value(x) for x in inputs]
        shape = shape_of(op, [x.shape if x else None for x in given], attributes)
        first = next((x for x in given if x), None)
        if len(self.nodes) >= MAX_NODES:
            raise ConvertError(f"more than {MAX_NODES} operators")
        if math.prod(shape) > _MAX_ELEMENTS:
            raise ConvertError(f"a tensor of {math.prod(shape)} elements")
        dtype = attributes.get("to") or _TYPES.get(op) or (first.dtype if first else "float")
        if op == "Where":
            dtype = "float"
        output = Value(self.unique(f"{self._label()}.{op}"), shape, dtype)
        self.nodes.append(Node(op, given, output, attributes, self.path, self.module))
        return output

    def _label(self) -> str:
        return f"{self.path}.{self.module}" if self.path else self.module or "graph"

    def unique(self, name: str) -> str:
        """Returns the name, with a number if it is taken."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return f"{name}_{count}" if count else name

    def _value(self, x: Value | Array | float | None) -> Value | None:
        if x is None or isinstance(x, Value):
            return x
        return self.constant(x)

    def constant(self, data: Array | float, name: str = "", dtype: str = "float") -> Value:
        """Returns a constant; equal numbers and the same arrays are one constant."""
        array = np.asarray(data)
        if array.ndim == 0:
            key: Any = (float(array), dtype)
        else:
            key = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str, dtype)
        known = self._constants.get(key)
        if known is None:
            label = f"{self.path}.{name}" if self.path and name else name or f"{self._label()}.constant"
            known = Value(self.unique(label), array.shape, dtype, array, name and label)
            self._constants[key] = known
        return known

    # Operations that several modules need.

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        """Returns x with other sizes; one may be -1."""
        wanted = [int(n) for n in shape]
        if -1 in wanted:
            rest = int(np.prod([n for n in wanted if n != -1], dtype=np.int64)) or 1
            wanted[wanted.index(-1)] = int(np.prod(x.shape, dtype=np.int64)) // rest
        if tuple(wanted) == x.shape:
            return x
        return self.Reshape(x, shape=wanted)

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        """Returns x with its dimensions in another order."""
        if list(order) == list(range(x.rank)):
            return x
        return self.Transpose(x, perm=list(order))

    def swap(self, x: Value, a: int, b: int) -> Value:
        """Returns x with two dimensions exchanged."""
        order = list(range(x.rank))
        order[a], order[b] = order[b], order[a]
        return self.transpose(x, order)

    def slice(self, x: Value, axis: int, start: int, length: int) -> Value:
        """Returns a part of one dimension."""
        if not 0 <= start <= start + length <= x.shape[axis]:
            raise ConvertError(
                f"dimension {axis + 1} of size {x.shape[axis]} has no elements {start + 1} to "
                f"{start + length}"
            )
        if length == x.shape[axis]:
            return x
        return self.Slice(x, axes=[axis], starts=[start], ends=[start + length])

    def select(self, x: Value, axis: int, index: int) -> Value:
        """Returns one element of a dimension, which is dropped."""
        part = self.slice(x, axis, index, 1)
        return self.reshape(part, x.shape[:axis] + x.shape[axis + 1 :])

    def concat(self, parts: Sequence[Value], axis: int) -> Value:
        """Concatenates the parts along a dimension."""
        if len(parts) == 1:
            return parts[0]
        return self.Concat(*parts, axis=axis)

    def pad(
        self,
        x: Value,
        before: Sequence[int],
        after: Sequence[int],
        value: float = 0.0,
        mode: str = "constant",
    ) -> Value:
        """Pads the last dimensions; negative padding cuts elements off."""
        skip = x.rank - len(before)
        for d, (low, high) in enumerate(zip(before, after, strict=True)):
            start, stop = max(-low, 0), max(-high, 0)
            x = self.slice(x, skip + d, start, x.shape[skip + d] - start - stop)
        low_pads, high_pads = ([0] * skip + [max(int(n), 0) for n in side] for side in (before, after))
        if not any(low_pads) and not any(high_pads):
            return x
        return self.Pad(x, pads=low_pads + high_pads, mode=mode, value=float(value))

    def indices(self, x: Value, count: int) -> Value:
        """Converts indices from 1 to `count` to indices from 0."""
        if x in self.inputs:
            self.limits[x.name] = min(self.limits.get(x.name, count), count)
        return self.Sub(self.Cast(x, to="int64"), self.constant(1, dtype="int64"))


def free_batch(graph: Graph, other: Graph) -> None:
    """Removes the batch size from a graph, given the trace of the same network for another batch size.

    Raises ConvertError if an operator depends on the batch size.
    """
    for x, twin_x in zip(graph.inputs + graph.outputs, other.inputs + other.outputs, strict=True):
        x.free = tuple(d for d, (a, b) in enumerate(zip(x.shape, twin_x.shape, strict=True)) if a != b)
    if len(graph.nodes) != len(other.nodes):
        raise ConvertError("the operators of this network depend on the batch size")
    for node, twin in zip(graph.nodes, other.nodes, strict=True):
        shapes = [x.shape if x else () for x in node.inputs], [x.shape if x else () for x in twin.inputs]
        for key, value in node.attributes.items():
            now = twin.attributes.get(key)
            if value == now and node.op == twin.op:
                continue
            freed = _freed(node.op, key, value, now, shapes)
            if freed is None:
                name = f"{node.path}: {node.module}" if node.path else node.module
                raise ConvertError(f"{name}: depends on the batch size")
            node.attributes[key] = freed


def _freed(op: str, key: str, one: Any, two: Any, shapes: tuple[list[Shape], list[Shape]]) -> Any:
    if op == "Reshape" and len(one) == len(two):
        different = [i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
        if len(different) == 1:
            return [-1 if i == different[0] else n for i, n in enumerate(one)]
    if op == "Slice" and key == "ends":
        axis = next(
            (i for i, (a, b) in enumerate(zip(shapes[0][0], shapes[1][0], strict=True)) if a != b), None
        )
        if axis is not None and (one, two) == ([shapes[0][0][axis]], [shapes[1][0][axis]]):
            return [END]
    return None
