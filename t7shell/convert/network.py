"""Walks over networks: from the objects of a `.t7` file to a graph, by a table of all classes of modules.

An entry of the table is ``f(g, m, x)``. It adds the operators of the module `m` to the graph `g`. `x` is the
input and the result the output, each a value or nested lists of values. Entries of containers call ``m.run``.
An entry that is one expression is a row; the others are functions with the decorator `module`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import MOST, Graph, Shape, Value, free_batch
from t7shell.convert.input_shape import shapes_for
from t7shell.convert.state import contents_of
from t7shell.host.encoding import plain
from t7shell.t7file.model import Object
from t7shell.t7file.modules import modules

# A value, or nested lists of values.
Values: TypeAlias = Any
Entry: TypeAlias = Callable[[Graph, "Module", Values], Values]

# The classes that can be converted: 'nn.Linear', ...; and why the others cannot.
TABLE: dict[str, Entry] = {}
UNSUPPORTED: dict[str, str] = {}

# Errors of entries that come from fields with wrong contents.
_BAD_FIELDS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


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

    def __init__(self, item: Object, path: str, tracer: Tracer) -> None:
        if not isinstance(item.fields, dict):
            raise ConvertError(f"{path or 'network'}: {item.typename}: expected fields (got none)")
        self.object, self.path, self.tracer = item, path, tracer
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
        """Returns fields that are whole numbers."""
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
        return self.tracer.graph.constant(array if shape is None else array.reshape(shape), field)

    def optional_bias(self) -> Value | None:
        """Returns the bias as a constant; None where the module has none."""
        return self.parameter("bias") if self.get("bias") is not None else None

    def children(self) -> list[Object]:
        """Returns the modules of a container."""
        modules = self.get("modules", [])
        if not isinstance(modules, list) or not all(isinstance(item, Object) for item in modules):
            raise ValueError("field 'modules' must be a table of modules")
        return modules

    def run(self, child: Object, x: Values, name: int | str) -> Values:
        """Traces a module inside this one; `name` is its part of the path."""
        return self.tracer.trace(child, x, f"{self.path}.{name}" if self.path else str(name))


class _LocatedError(ConvertError):
    """The message begins with the path of the module."""


class Tracer:
    """Traces a network into a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.active: set[int] = set()
        self.count = 0

    def trace(self, item: Object, x: Values, path: str) -> Values:
        """Adds a module to the graph. Raises ConvertError with the path of the module that fails."""
        where = f"{path}: {item.typename}" if path else item.typename
        entry = TABLE.get(_counterpart(item.typename))
        if entry is None:
            reason = UNSUPPORTED.get(item.typename, "no conversion of this class is known")
            raise _LocatedError(f"{where}: {reason}")
        if id(item) in self.active:
            raise _LocatedError(f"{where}: contains itself")
        self.active.add(id(item))
        self.count += 1
        if self.count > MOST:
            raise _LocatedError(f"{where}: more than {MOST} modules")
        g = self.graph
        g.packages.add(item.typename.partition(".")[0])
        outer = g.path, g.module
        g.path, g.module = path, item.typename.rpartition(".")[2]
        try:
            return entry(g, Module(item, path, self), x)
        except _LocatedError:
            raise
        except ConvertError as reason:
            raise _LocatedError(f"{where}: {reason}") from None
        except _BAD_FIELDS as reason:
            raise _LocatedError(f"{where}: {_in_words(reason, x)}") from None
        finally:
            g.path, g.module = outer
            self.active.discard(id(item))


def _in_words(reason: Exception, x: Values) -> str:
    """The message of an error of an entry. Those of Python about the kind of the input say what came."""
    text = str(reason)
    if "'Value' object" in text:
        shape = "x".join(map(str, x.shape)) if isinstance(x, Value) else "another kind"
        return f"expected a table of inputs (got one of {shape}); --input is given once for each"
    if isinstance(x, list) and ("'list' object" in text or "list indices" in text):
        return f"expected one input (got a table of {len(x)})"
    return text


def _counterpart(typename: str) -> str:
    """Returns the class of nn that corresponds to a class of cudnn."""
    package, _, name = typename.partition(".")
    return f"nn.{name}" if package == "cudnn" and typename not in TABLE else typename


def trace_file(path: str, shapes: Sequence[Shape], key: str | None = None) -> Graph:
    """Returns the graph of the network of a ``.t7`` file, which may be one entry of a table, or at a path.

    Without shapes that of the first layer is used. Raises ConvertError, T7FileError and OSError.
    """
    _fill_table()
    value = contents_of(path, key)
    chosen: Any = key
    if isinstance(value, dict):
        objects = {name: item.typename for name, item in value.items() if isinstance(item, Object)}
        keys = [name for name, kind in objects.items() if kind in UNSUPPORTED or _counterpart(kind) in TABLE]
        if len(keys) != 1:
            found = sorted(map(repr, keys)) or [name for name, _ in modules(value)][:20]
            listed = f"{', '.join(map(plain, found))}; --key names one" if found else "none"
            raise ConvertError(f"{path}: expected a network, or a table with one network (got {listed})")
        chosen, value = keys[0], value[keys[0]]
        if key is not None:
            chosen = f"{key}.{chosen}"
    graph = trace(value, shapes_for(value, shapes))
    graph.key = chosen
    return graph


def _fill_table() -> None:
    import t7shell.convert.layers  # noqa: F401


def trace(network: Any, shapes: Sequence[Shape]) -> Graph:
    """Returns the graph of a network for inputs of these shapes, whose first dimension is a free batch.

    If the network takes these shapes, but no other batch size, all sizes are fixed. Raises ConvertError with
    the path of a module that cannot be converted.
    """
    _fill_table()
    if not isinstance(network, Object):
        raise ConvertError(f"expected a network (got {type(network).__name__})")
    try:
        try:
            graph = _trace(network, shapes, 2)
            free_batch(graph, _trace(network, shapes, 3))
        except ConvertError as reason:
            # Its errors speak of the sizes that were given.
            graph = _trace(network, shapes, None)
            graph.fixed = str(reason)
    except RecursionError:
        raise ConvertError(f"{network.typename}: modules are nested too deeply") from None
    return _simplified(graph)


def _trace(network: Object, shapes: Sequence[Shape], batch: int | None) -> Graph:
    """Traces for a batch size, or for the shapes as they are."""
    graph = Graph()
    many = len(shapes) > 1
    for i, shape in enumerate(shapes, 1):
        name = f"input_{i}" if many else "input"
        graph.inputs.append(Value(graph.unique(name), (batch or shape[0], *shape[1:])))
    found = Tracer(graph).trace(network, graph.inputs if many else graph.inputs[0], "")
    graph.outputs = flat(found)
    return graph


def flat(x: Values) -> list[Value]:
    """Returns the values of nested lists in order."""
    return [value for part in x for value in flat(part)] if isinstance(x, list) else [x]


def _simplified(graph: Graph) -> Graph:
    """Removes nodes that no output needs, and casts of inputs that are used as indices alone."""
    needed = set(map(id, graph.outputs))
    kept = []
    for node in reversed(graph.nodes):
        if id(node.output) in needed:
            needed.update(id(x) for x in node.inputs)
            kept.append(node)
    graph.nodes = kept[::-1]
    for x in graph.inputs:
        users = [node for node in graph.nodes if x in node.inputs]
        if (
            users
            and x not in graph.outputs
            and all(node.op == "Cast" and node.attributes["to"] == "int64" for node in users)
        ):
            x.dtype = "int64"
            casts = {id(node.output) for node in users}
            graph.nodes = [node for node in graph.nodes if node not in users]
            for node in graph.nodes:
                node.inputs = [x if id(y) in casts else y for y in node.inputs]
    return graph
