"""The contents of a file as a tree: modules with their descriptions, tensors with sizes, shared storages.

The tree is a flat list of entries with depths, since files nest deeper than Python calls. Elements of tensors
are not read, so that they may stay on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from t7shell.host.encoding import plain
from t7shell.t7file.descriptions import description
from t7shell.t7file.model import TYPES, Array, Function, Object, Storage
from t7shell.t7file.modules import Part, entries, is_module, is_node, parts
from t7shell.t7file.writer import owner

_MAX_STRING = 60  # characters of a string that are shown
_MAX_ENTRIES = 100  # plain entries of a table that are shown
_MAX_INSIDE = 10000  # entries of a table that has tables
_MAX_DEPTH = 100  # levels that are shown


@dataclass
class Entry:
    """A value of the file: its path, its kind, and totals over its contents."""

    depth: int
    part: Part
    same_as: str | None = None  # the path under which the same object was shown before
    shares: str | None = None  # the path of the first tensor on the same storage
    parameters: int = 0  # elements of the parameters in it
    bytes: int = 0  # of all tensors in it, scratch included

    @property
    def value(self) -> Any:
        return self.part.value


class _More:
    """Replaces the entries of a long table that are left out."""

    def __init__(self, count: int) -> None:
        self.count = count


def tree(value: Any) -> list[Entry]:
    """Lists everything below a value; objects that were listed before are not expanded again."""
    result: list[Entry] = []
    seen: dict[int, str] = {}  # by id: the path of an object
    storages: dict[int, str] = {}
    stack = [Entry(0, Part("", "", value, ""))]
    while stack:
        entry = stack.pop()
        result.append(entry)
        item, path = entry.value, entry.part.path or "the whole"
        if not isinstance(item, (list, dict, Object, Function, np.ndarray)):
            continue
        entry.same_as = seen.get(id(item))
        if entry.same_as is not None:
            continue
        seen[id(item)] = path
        if isinstance(item, np.ndarray):
            entry.bytes = item.nbytes
            entry.shares = _sharing(item, path, storages)
            entry.parameters = item.size if entry.part.kind == "parameter" else 0
        elif entry.depth < _MAX_DEPTH:
            stack.extend(Entry(entry.depth + 1, part) for part in reversed(_inside(item, entry.part.path)))
    _add_up(result)
    return result


def _inside(item: Any, path: str) -> list[Part]:
    """Returns the parts of a table, object or function that are shown."""
    module = is_module(item)
    found = list(parts(item.upvalues if isinstance(item, Function) else item, path))
    if module:
        found = [part for part in found if _shown(part)]
    nested = module or any(isinstance(part.value, (list, dict, Object)) for part in found)
    limit = _MAX_INSIDE if nested else _MAX_ENTRIES
    if len(found) > limit:
        found[limit:] = [Part("...", "", _More(len(found) - limit), "")]
    return found


def _shown(part: Part) -> bool:
    """Tells whether a field of a module is shown: scalars are in the description, nodes are left out."""
    item = part.value
    if isinstance(item, np.ndarray):
        return not isinstance(item, Storage) and (item.size > 0 or part.kind == "parameter")
    if isinstance(item, (list, dict)):
        values = [value for _, value in entries(item)]
        return part.kind != "scratch" and not all(is_node(value) for value in values)
    return isinstance(item, (Object, Function)) and not is_node(item)


def _sharing(item: Any, path: str, storages: dict[int, str]) -> str | None:
    """Returns the path of the array shown before whose storage this one shares."""
    if not item.size:
        return None
    root, below = item, owner(item)
    while below is not None:
        root, below = below, owner(below)
    first = storages.setdefault(root.__array_interface__["data"][0], path)
    return None if first == path else first


def _add_up(found: list[Entry]) -> None:
    """Sums parameters and bytes of parts into the entries that hold them."""
    open_sums: dict[int, list[int]] = {}
    for entry in reversed(found):
        inner = open_sums.pop(entry.depth + 1, None)
        if inner:
            entry.parameters += inner[0]
            entry.bytes += inner[1]
        sums = open_sums.setdefault(entry.depth, [0, 0])
        sums[0] += entry.parameters
        sums[1] += entry.bytes


def _type(item: Array) -> str:
    """The name of the type of a tensor or storage, as the file has it: torch.CudaLongTensor."""
    kind, sort = TYPES[item.dtype], "Storage" if isinstance(item, Storage) else "Tensor"
    root: Array | None = item
    while root is not None and not isinstance(root, Storage):
        root = owner(root)
    if root is not None and root.of_device:
        kind = "Cuda" if kind == "Float" else f"Cuda{kind}"
    return f"torch.{kind}{sort}"


def head(item: Any) -> str:
    """Describes a value in one line."""
    if isinstance(item, Storage):
        return f"{_type(item)} of {item.size} ({item.nbytes} bytes)"
    if isinstance(item, np.ndarray):
        size = "x".join(map(str, item.shape)) if item.size else "no elements"
        return f"{_type(item)} {size} ({item.nbytes} bytes)"
    if isinstance(item, (list, dict)):
        return f"table of {len(item)}"
    if isinstance(item, Object):
        return description(item)
    if isinstance(item, Function):
        return f"function ({len(item.code)} bytes of bytecode)"
    if isinstance(item, (str, bytes)) and len(item) > _MAX_STRING:
        return f"{item[:_MAX_STRING]!r}... ({len(item)} characters)"
    if isinstance(item, _More):
        return f"{item.count} more"
    if item is None:
        return "nil"
    return str(item).lower() if isinstance(item, bool) else repr(item)


def lines(value: Any) -> Iterator[str]:
    """Yields the lines of the tree; gradients and buffers of the last call are only counted, at the end."""
    found = tree(value)
    scratch = 0
    for entry in found:
        if entry.part.kind == "scratch":
            scratch += entry.bytes
            continue
        label = "  " * entry.depth + (f"{plain(entry.part.label)[:200]}: " if entry.part.label else "")
        yield label + head(entry.value) + _note(entry)
    top = found[0]
    if top.parameters:
        yield f"{top.parameters:,} parameters, {top.bytes:,} bytes in tensors"
    if scratch:
        yield f"not shown: {scratch:,} bytes of gradients and buffers of the last call"


def _note(entry: Entry) -> str:
    if entry.same_as is not None:
        return f" (shown above: {plain(entry.same_as)})"
    if entry.shares is not None:
        return f" (shares the storage of {plain(entry.shares)})"
    if is_module(entry.value) and entry.parameters:
        return f", {entry.parameters:,} parameters"
    return ""


def summary(value: Any) -> dict[str, Any]:
    """Returns the tree as plain values for JSON: totals, and an entry for each line, scratch included."""
    found = tree(value)
    return {
        "parameters": found[0].parameters,
        "bytes": found[0].bytes,
        "entries": [_record(entry) for entry in found],
    }


def _record(entry: Entry) -> dict[str, Any]:
    item = entry.value
    record: dict[str, Any] = {"path": entry.part.path, "depth": entry.depth, "description": head(item)}
    if entry.part.kind:
        record["kind"] = entry.part.kind
    if isinstance(item, Object):
        record["class"] = item.typename
    if is_module(item):
        record["fields"] = {
            key: field
            for key, field in item.fields.items()
            if isinstance(key, str) and isinstance(field, (bool, int, float, str)) and _finite(field)
        }
    if isinstance(item, np.ndarray):
        record |= {"type": _type(item), "shape": list(item.shape)}
        record |= {"elements": item.size, "bytes": item.nbytes}
    elif entry.bytes:
        record |= {"parameters": entry.parameters, "bytes": entry.bytes}
    elif isinstance(item, (bool, int, float, str)) and _finite(item):
        record["value"] = item[:1000] if isinstance(item, str) else item
    for name, path in (("same_as", entry.same_as), ("shares_storage_of", entry.shares)):
        if path is not None:
            record[name] = path
    return record


def _finite(value: Any) -> bool:
    """Tells whether JSON has the value: it has no infinities."""
    return not isinstance(value, float) or abs(value) < float("inf")
