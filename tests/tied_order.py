"""A second source for the positions of equal elements: a plain quicksort, one exchange after the other.

The median of three is the pivot, both scans stop at equals, and parts of up to ten elements are sorted by
insertion: the scheme of R. Sedgewick, "Implementing Quicksort Programs", 1978. Nothing is shared with how the
shell does it: no ranks, no blocks, and no part is left out. nan counts as the largest.
"""

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SMALL = 10


def _sort(keys: list[Any], places: list[int]) -> None:
    def swap(a: int, b: int) -> None:
        keys[a], keys[b] = keys[b], keys[a]
        places[a], places[b] = places[b], places[a]

    def part(left: int, right: int) -> None:
        first = left + 1
        swap((left + right) // 2, first)
        for a, b in ((first, right), (left, right), (first, left)):
            if keys[a] > keys[b]:
                swap(a, b)
        i, j, pivot = first, right, keys[left]
        while True:
            i += 1
            while keys[i] < pivot:
                i += 1
            j -= 1
            while keys[j] > pivot:
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(left, j)
        for low, high in ((left, j - 1), (i, right)):
            if high - low + 1 > SMALL:
                part(low, high)

    if len(keys) - 1 > SMALL:
        part(0, len(keys) - 1)
    for i in range(1, len(keys)):
        while i > 0 and keys[i - 1] > keys[i]:
            swap(i - 1, i)
            i -= 1


def places_of_row(row: Array, descending: bool = False) -> Array:
    """The indices from 0 that sort a row; equal elements are in the order that the exchanges give."""
    _, ranks = np.unique(row, return_inverse=True)
    ranks = np.where([isinstance(x, float) and math.isnan(x) for x in row.tolist()], len(row), ranks)
    keys, places = (-ranks if descending else ranks).tolist(), list(range(len(row)))
    _sort(keys, places)
    return np.array(places, dtype=np.int64)


def places_along(x: Array, axis: int, descending: bool = False) -> Array:
    """The same for all rows along an axis."""
    return np.apply_along_axis(places_of_row, axis, x, descending)
