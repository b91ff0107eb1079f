"""Walks over networks: from the objects of a `.t7` file to a graph, by the entries that layers register."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import t7shell.convert.layers  # noqa: F401
from t7shell.convert import ConvertError
from t7shell.convert.graph import MAX_NODES, Graph, Shape, Value, free_batch
from t7shell.convert.input_shape import shapes_for
from t7shell.convert.registry import TABLE, UNSUPPORTED, Module, Values
from t7shell.convert.state import contents_of
from t7shell.host.encoding import plain
from t7shell.t7file.model import Object
from t7shell.t7file.modules import modules

# Errors of entries that come from fields with wrong contents.
_BAD_FIELDS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


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
        if self.count > MAX_NODES:
            raise _LocatedError(f"{where}: more than {MAX_NODES} modules")
        g = self.graph
        g.packages.add(item.typename.partition(".")[0])
        outer = g.path, g.module
        g.path, g.module = path, item.typename.rpartition(".")[2]
        try:
            return entry(g, Module(item, path, g, self.trace), x)
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
    """The message of an error of an entry; Python's errors about the type of the input are reworded."""
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


def trace(network: Any, shapes: Sequence[Shape]) -> Graph:
    """Returns the graph of a network for inputs of these shapes, whose first dimension is a free batch.

    If the network takes these shapes, but no other batch size, all sizes are fixed. Raises ConvertError with
    the path of a module that cannot be converted.
    """
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
