"""Tables of a file during reading; at its end they become lists or dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from t7shell.t7file.model import Key, T7FileError


class Node:
    """A table in the order of the file: keys and values, and the list or dictionary that they become."""

    def __init__(self, fail: Callable[[str], T7FileError]) -> None:
        self.fail = fail
        self.keys: list[Any] = []
        self.values: list[Any] = []
        self.container: Any = None
        self.fields = False  # whether it holds the fields of an object: always a dictionary
        self.listed = False  # whether it is a list by its class

    def choose(self) -> None:
        """Makes the container, still empty."""
        count = len(self.keys)
        if self.listed:
            self.container = [None] * count
            return
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
