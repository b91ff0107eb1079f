"""Describes the contents of a file as an indented tree: names, types, sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from t7shell.t7file.model import TYPES, Function, Key, Object, Storage
from t7shell.t7file.writer import owner

_LONGEST = 60       # characters of a string that are shown
_MOST = 100         # entries of a table of plain values that are shown


class _More:
    """Stands for the entries of a long table that are left out."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __repr__(self) -> str:
        return f"{self.count} more"


def describe(value: Any) -> Iterator[str]:
    """Yields the lines of the tree below ``value``; objects that were shown before are not entered again."""
    seen: set[int] = set()
    storages: dict[int, str] = {}       # by address: where an array on it was shown first
    # The children of the innermost object come first: a stack of what is still to be shown.
    stack: list[tuple[str, str, Any, int]] = [("", "", value, 0)]
    while stack:
        name, place, item, depth = stack.pop()
        label = f"{'  ' * depth}{name}: " if name else ""
        again = id(item) in seen
        yield label + head(item) + (" (shown above)" if again else _sharing(item, place, storages))
        if again:
            continue
        if isinstance(item, np.ndarray):
            seen.add(id(item))
        if not isinstance(item, (list, dict, Object, Function)):
            continue
        seen.add(id(item))
        parts = list(_children(item))
        if len(parts) > _MOST and not any(isinstance(part, (list, dict, Object)) for _, part in parts):
            stack.append(("...", "", _More(len(parts) - _MOST), depth + 1))
            parts = parts[:_MOST]
        inside = place + "." if place else ""
        stack.extend((_key(key), inside + _key(key), part, depth + 1) for key, part in reversed(parts))


def _sharing(item: Any, place: str, storages: dict[int, str]) -> str:
    """Names the array shown before whose storage this one shares."""
    if not isinstance(item, np.ndarray) or not item.size:
        return ""
    root, below = item, owner(item)
    while below is not None:
        root, below = below, owner(below)
    first = storages.setdefault(root.ctypes.data, place)
    return "" if first == place else f" (shares the storage of {first or 'the whole'})"


def _children(item: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(item, Object):
        item = item.fields
    elif isinstance(item, Function):
        item = item.upvalues
    yield from sorted(item.items(), key=_order) if isinstance(item, dict) else enumerate(item, 1)


def _order(entry: tuple[Any, Any]) -> tuple[int, float, str]:
    """Numbers come first, then names, then other keys."""
    key = entry[0]
    if isinstance(key, (int, float)) and not isinstance(key, bool):
        return 0, key, ""
    return (1, 0, key) if isinstance(key, str) else (2, 0, _key(key))


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    return f"[{head(key.value if isinstance(key, Key) else key)}]"


def head(item: Any) -> str:
    """Describes a value in one line."""
    if isinstance(item, Storage):
        return f"torch.{TYPES[item.dtype]}Storage of {item.size} ({item.nbytes} bytes)"
    if isinstance(item, np.ndarray):
        size = "x".join(map(str, item.shape)) if item.size else "no elements"
        return f"torch.{TYPES[item.dtype]}Tensor {size} ({item.nbytes} bytes)"
    if isinstance(item, (list, dict)):
        return f"table of {len(item)}"
    if isinstance(item, Object):
        return item.typename
    if isinstance(item, Function):
        return f"function ({len(item.code)} bytes of bytecode)"
    if isinstance(item, (str, bytes)) and len(item) > _LONGEST:
        return f"{item[:_LONGEST]!r}... ({len(item)} characters)"
    if item is None:
        return "nil"
    return str(item).lower() if isinstance(item, bool) else repr(item)
