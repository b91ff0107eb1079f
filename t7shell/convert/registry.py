"""The table of all classes of modules, in which the layers register what they become in a graph.

An entry of the table is ``f(g, m, x)``. It adds the operators of the module `m` to the graph `g`. `x` is the
input and the result the output, each a value or nested lists of values. Entries of containers call ``m.run``.
An entry that is one expression is a row; the others are functions with the decorator `module`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.t7file.model import Object

# A value, or nested lists of values.
Values: TypeAlias = Any
Entry: TypeAlias = Callable[[Graph, "Module", Values], Values]
# Adds a module with its input and its path to the graph.
Trace: TypeAlias = Callable[[Object, Values, str], Values]

# The classes that can be converted: 'nn.Linear', ...; and why the others cannot.
TABLE: dict[str, Entry] = {}
UNSUPPORTED: dict[str, str] = {}


def module(*names: str) -> Callable[[Entry], Entry]:
    """A decorator that registers an entry for classes, of nn unless a package is named.

    A name may be several, separated by blanks, as in `rows` and `unsupported`.
    """

    def enter(entry: Entry) -> Entry:
        for name in " ".join(names).split():
            TABLE[name if "." in name else f"nn.{name}"] = entry
        return entry

    return enter


def rows(entries: dict[str, Entry]) -> None:
    """Registers rows by the names of their classes."""
    for names, entry in entries.items():
        module(names)(entry)


def unsupported(reason: str, *names: str) -> None:
    """Registers the reason why classes of nn cannot be converted."""
    UNSUPPORTED.update({f"nn.{name}": reason for name in " ".join(names).split()})


class Module:
    """A module of the network: its fields as attributes, its dotted path, and the graph that is traced."""

    def __init__(self, item: Object, path: str, graph: Graph, trace: Trace) -> None:
        if not isinstance(item.fields, dict):
            raise ConvertError(f"{path or 'network'}: {item.typename}: expected fields (got none)")
        self.object, self.path = item, path
        self._graph, self._trace = graph, trace
        self.name = item.typename
        self.kind = item.typename.rpartition(".")[2]

    def __getattr__(self, field: str) -> Any:
        try:
            return self.object.fields[field]
        except KeyError:
            raise AttributeError(f"field '{field}' is missing") from None

    def get(self, field: str, default: Any = None) -> Any:
        """Returns a field that may be missing, or nil."""
        value = self.object.fields.get(field)
        return default if value is None else value

    def sizes(self, *fields: str, default: int | None = None) -> list[int]:
        """Returns fields that are integers."""
        found = [
            self.get(field, default) if default is not None else getattr(self, field) for field in fields
        ]
        for field, value in zip(fields, found, strict=True):
            if not isinstance(value, int) or isinstance(value, bool):
                raise ValueError(f"field '{field}' must be a whole number (got {value!r})")
        return found

    def array(self, field: str) -> np.ndarray[Any, Any]:
        """Returns a tensor of the module. Raises ValueError for other fields."""
        value = getattr(self, field)
        if not isinstance(value, np.ndarray):
            raise ValueError(f"field '{field}' must be a tensor (got {value!r})")
        return value

    def parameter(self, field: str, shape: Sequence[int] | None = None) -> Value:
        """Returns a tensor of the module as a constant of its name, with other sizes if they are given."""
        array = self.array(field)
        return self._graph.constant(array if shape is None else array.reshape(shape), field)

    def optional_bias(self) -> Value | None:
        """Returns the bias as a constant; None if the module has none."""
        return self.parameter("bias") if self.get("bias") is not None else None

    def children(self) -> list[Object]:
        """Returns the modules of a container."""
        modules = self.get("modules", [])
        if not isinstance(modules, list) or not all(isinstance(item, Object) for item in modules):
            raise ValueError("field 'modules' must be a table of modules")
        return modules

    def run(self, child: Object, x: Values, name: int | str) -> Values:
        """Traces a module inside this one; `name` is its part of the path."""
        return self._trace(child, x, f"{self.path}.{name}" if self.path else str(name))
