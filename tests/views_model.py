"""A model of views and writes in NumPy: a storage is a flat array, a tensor a strided view of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

DTYPES = {
    "Double": "f8",
    "Float": "f4",
    "Half": "f2",
    "Long": "i8",
    "Int": "i4",
    "Short": "i2",
    "Char": "i1",
    "Byte": "u1",
}

Array = np.ndarray[Any, Any]


@dataclass
class Store:
    """A storage: `data` is all memory it ever had, of which the first `size` elements belong to it now."""

    kind: str
    data: Array
    size: int

    def resize(self, size: int) -> None:
        """Memory that grows has more elements of any value; it never shrinks."""
        if size > len(self.data):
            self.data = np.concatenate([self.data, np.zeros(size - len(self.data), self.data.dtype)])
        self.size = size


@dataclass
class View:
    """A tensor; without sizes it is empty. Offsets and strides are in elements."""

    store: Store
    offset: int
    sizes: list[int]
    strides: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.strides) != len(self.sizes):
            self.strides = packed(self.sizes)

    @property
    def kind(self) -> str:
        return self.store.kind

    @property
    def dim(self) -> int:
        return len(self.sizes)

    @property
    def count(self) -> int:
        return int(np.prod(self.sizes)) if self.sizes else 0

    @property
    def extent(self) -> int:
        return 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))

    @property
    def contiguous(self) -> bool:
        steps = [(n, s) for n, s in zip(self.sizes, self.strides, strict=True) if n != 1]
        return [s for _, s in steps] == packed([n for n, _ in steps])

    @property
    def places(self) -> Array:
        """The position in the storage of each element."""
        grid: Array = np.full(self.sizes, self.offset)
        for axis, stride in enumerate(self.strides):
            steps = np.arange(self.sizes[axis]) * stride
            grid = grid + steps.reshape([-1 if k == axis else 1 for k in range(self.dim)])
        return grid

    @property
    def injective(self) -> bool:
        """Whether no two elements have the same address."""
        return len(np.unique(self.places)) == self.count

    @property
    def array(self) -> Array:
        """The elements, as NumPy sees them; writing to it writes to the storage."""
        if not self.sizes:
            return np.empty(0, self.store.data.dtype)
        item = self.store.data.itemsize
        return as_strided(self.store.data[self.offset :], self.sizes, [s * item for s in self.strides])

    def overlaps(self, other: View) -> bool:
        if self.store is not other.store or not self.sizes or not other.sizes:
            return False
        return bool(np.intersect1d(self.places, other.places).size)

    def with_(
        self, offset: int | None = None, sizes: Iterable[int] = (), strides: Iterable[int] = ()
    ) -> View:
        return View(self.store, self.offset if offset is None else offset, list(sizes), list(strides))

    def narrow(self, d: int, first: int, count: int) -> View:
        sizes = list(self.sizes)
        sizes[d] = count
        return self.with_(self.offset + first * self.strides[d], sizes, self.strides)

    def select(self, d: int, index: int) -> View:
        return self.with_(
            self.offset + index * self.strides[d], without(self.sizes, d), without(self.strides, d)
        )

    def permute(self, order: Sequence[int]) -> View:
        return self.with_(None, [self.sizes[k] for k in order], [self.strides[k] for k in order])

    def unfold(self, d: int, size: int, step: int) -> View:
        sizes, strides = [*self.sizes, size], [*self.strides, self.strides[d]]
        sizes[d] = (self.sizes[d] - size) // step + 1
        strides[d] *= step
        return self.with_(None, sizes, strides)

    def expand(self, sizes: Sequence[int]) -> View:
        strides = [0 if n == 1 else s for n, s in zip(self.sizes, self.strides, strict=True)]
        return self.with_(None, sizes, strides)

    def squeeze(self, keep: Sequence[int]) -> View:
        return self.with_(None, [self.sizes[k] for k in keep], [self.strides[k] for k in keep])

    def resize(self, sizes: list[int]) -> None:
        """Resizes in place as Torch7 does: equal sizes keep their strides; the storage grows if it must."""
        if sizes != self.sizes:
            self.sizes, self.strides = sizes, packed(sizes)
        reach = self.offset + self.extent
        if reach > self.store.size:
            self.store.resize(reach)


def packed(sizes: Sequence[int]) -> list[int]:
    """The strides of a contiguous tensor."""
    strides, n = [], 1
    for size in reversed(sizes):
        strides.append(n)
        n *= size
    return strides[::-1]


def without(items: Sequence[int], d: int) -> list[int]:
    return [item for k, item in enumerate(items) if k != d]
