"""Elements of collections that several Lua states share: `tds.Hash`, `tds.Vec` and `tds.AtomicCounter`.

Numbers, strings and booleans are kept as they are; of tensors and other collections a message of
`lua/packages/threads/message.lua` is, by its address.
"""

from __future__ import annotations

import threading
from itertools import count as counting
from typing import Any

_numbers = counting(1)
_stores: dict[int, Store] = {}
_lock = threading.Lock()
_mutex: list[float] = []


class Store:
    """Elements by key, with the count of a vector or a counter; None for a hash, whose count is derived."""

    def __init__(self, count: float | None) -> None:
        self.count = count
        # True and 1 are the same key in Python.
        self.values: dict[tuple[bool, Any], tuple[Any, bool]] = {}


def store_mutex(address: float) -> float:
    """The address of the mutex of all stores: the first one that a state offers."""
    with _lock:
        if not _mutex:
            _mutex.append(address)
        return _mutex[0]


def store_new(count: float) -> int:
    """Makes a store; ``count`` is -1 for a hash."""
    number = next(_numbers)
    _stores[number] = Store(None if count < 0 else count)
    return number


def store_get(number: float, key: Any) -> tuple[Any, bool]:
    """The element of a key, None if there is none, and whether it is a message."""
    return _stores[int(number)].values.get((isinstance(key, bool), key), (None, False))


def store_set(number: float, key: Any, value: Any, is_message: bool) -> float | None:
    """Sets an element, or removes it for None; returns the address of a message that it was."""
    values, entry = _stores[int(number)].values, (isinstance(key, bool), key)
    before = values.pop(entry, (None, False))
    if value is not None:
        values[entry] = (value, is_message)
    return before[0] if before[1] else None


def store_count(number: float) -> float:
    store = _stores[int(number)]
    return len(store.values) if store.count is None else store.count


def store_set_count(number: float, count: float) -> None:
    store = _stores[int(number)]
    if store.count is not None:
        store.count = count


def store_add(number: float, step: float) -> float:
    """Adds to the count; returns the previous one."""
    store = _stores[int(number)]
    with _lock:
        before = store.count or 0
        store.count = before + step
    return before


def store_keys(number: float) -> tuple[Any, int]:
    """The keys as they are now, for `store_item`, and their number."""
    keys = [key for _, key in list(_stores[int(number)].values)]
    return (keys.__getitem__, len(keys))


def store_item(item: Any, index: float) -> Any:
    return item(int(index))


def store_drop(number: float) -> tuple[Any, int]:
    """Removes a store; returns the addresses of its messages, for `store_item`, and their number."""
    store = _stores.pop(int(number))
    messages = [value for value, is_message in store.values.values() if is_message]
    return (messages.__getitem__, len(messages))
