"""Objects that are being read, whose parts follow in the file."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from t7shell.t7file.model import DTYPES, Array, Function, Key, Object, Storage, T7FileError
from t7shell.t7file.source import Source

MOST_DIMENSIONS = 64      # NumPy's limit


class Node:
    """A table as the file has it: keys and values in order, and the list or dictionary that it becomes."""

    def __init__(self, fail: Callable[[str], T7FileError]) -> None:
        self.fail = fail
        self.keys: list[Any] = []
        self.values: list[Any] = []
        self.container: Any = None
        self.fields = False      # whether it holds the fields of an object: always a dictionary

    def choose(self) -> None:
        """Makes the container, still empty."""
        count = len(self.keys)
        listed = not self.fields and count > 0 and all(type(key) is int for key in self.keys)
        if listed and set(self.keys) == set(range(1, count + 1)):
            self.container = [None] * count
        else:
            self.container = {}

    def fill(self) -> None:
        if isinstance(self.container, list):
            for key, value in zip(self.keys, self.values, strict=True):
                self.container[key - 1] = resolve(value)
            return
        numbers = {key for key in self.keys if type(key) in (int, float)}
        for key, value in zip(self.keys, self.values, strict=True):
            self.container[_usable(resolve(key), numbers)] = resolve(value)


def _usable(key: Any, numbers: set[Any]) -> Any:
    """Returns the key, wrapped if it is not hashable."""
    if isinstance(key, (list, dict, np.ndarray)):
        return Key(key)
    return Key(key) if type(key) is bool and key in numbers else key


def resolve(value: Any) -> Any:
    """Converts a value of the file to one of the result."""
    return value.container if isinstance(value, Node) else value


class Frame:
    """An object that waits for the objects that follow it in the file."""

    complete = False
    result: Any = None

    def take(self, value: Any) -> bool:
        """Takes the next object; returns True for the last one."""
        raise NotImplementedError


class TableFrame(Frame):
    def __init__(self, node: Node, count: int) -> None:
        self.result = self.node = node
        self.left = 2 * count
        self.complete = count == 0

    def take(self, value: Any) -> bool:
        if self.left % 2 == 0:
            if value is None or (isinstance(value, float) and value != value):
                raise self.node.fail(f"key of a table expected, read {'nil' if value is None else value}")
            self.node.keys.append(value)
        else:
            self.node.values.append(value)
        self.left -= 1
        return self.left == 0


class FieldsFrame(Frame):
    def __init__(self, source: Source, instance: Object) -> None:
        self.source = source
        self.result = self.instance = instance
        self.at = source.pos

    def take(self, value: Any) -> bool:
        if not isinstance(value, Node):
            raise self.source.fail(
                f"fields of a {self.instance.typename} expected, read {type(value).__name__}: "
                "what a class writes in a form of its own can only be read by the program that defines it",
                self.at,
            )
        value.fields = True
        self.instance.fields = value
        return True


class FunctionFrame(Frame):
    def __init__(self, function: Function) -> None:
        self.result = self.function = function

    def take(self, value: Any) -> bool:
        self.function.upvalues = value
        return True


class TensorFrame(Frame):
    """A tensor: its sizes, strides and offset are read, its storage follows."""

    def __init__(self, source: Source, objects: dict[int, Any], index: int, kind: str) -> None:
        self.source, self.objects, self.index, self.kind = source, objects, index, kind
        self.at = source.pos
        dim = source.integer(f"number of dimensions of a torch.{kind}Tensor")
        if not 0 <= dim <= MOST_DIMENSIONS:
            limits = f"number of dimensions from 0 to {MOST_DIMENSIONS}"
            raise source.fail(f"{limits} expected, read {dim}", self.at)
        self.sizes = [int(n) for n in source.array("Long", dim, "sizes")]
        self.strides = [int(n) for n in source.array("Long", dim, "strides")]
        self.offset = source.long("storage offset") - 1

    def take(self, value: Any) -> bool:
        dtype = DTYPES[self.kind]
        if value is None and not self.sizes:
            self.result = np.empty(0, dtype)
        else:
            self.result = self._view(value, dtype)
        self.objects[self.index] = self.result
        return True

    def _view(self, value: Any, dtype: np.dtype[Any]) -> Array:
        if not isinstance(value, Storage) or value.dtype != dtype:
            raise self.source.fail(f"torch.{self.kind}Storage expected, read {type(value).__name__}", self.at)
        base: Array = value.view(np.ndarray)
        if not self.sizes:
            return base[:0]
        largest = max(math.prod(self.sizes), *self.strides) * dtype.itemsize
        if min(self.sizes) < 1 or min(self.strides) < 0 or self.offset < 0 or largest >= 2**63:
            layout = f"sizes {self.sizes}, strides {self.strides}, offset {self.offset + 1}"
            raise self.source.fail(f"{layout} are impossible", self.at)
        reach = self.offset + sum((n - 1) * step for n, step in zip(self.sizes, self.strides, strict=True))
        if reach >= base.size:
            raise self.source.fail(f"a tensor that ends at element {reach + 1} of {base.size}", self.at)
        # The stride of a dimension of size 1 is never used.
        sizes = zip(self.sizes, self.strides, strict=True)
        strides = [step if n > 1 else min(step, 2**31) for n, step in sizes]
        steps = [step * dtype.itemsize for step in strides]
        return as_strided(base[self.offset :], self.sizes, steps)
