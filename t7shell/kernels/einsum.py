"""The order in which the operands of einsum are contracted."""

from __future__ import annotations

from typing import Any


def contraction_order(inputs: str, output: str, sizes: str) -> str | None:
    """opt_einsum's order, "i j,i j,...": two positions from 1, i < j, whose product goes to the end.

    Labels are whole numbers, so that no order of a set depends on the hashes of strings: ``inputs`` is
    "1 2,2 3", ``sizes`` "1 10,2 20" of labels and sizes. None where opt_einsum is not installed.
    """
    try:
        from opt_einsum import paths
    except ImportError:
        return None
    terms: list[Any] = [frozenset(map(int, term.split())) for term in inputs.split(",")]
    lengths: dict[Any, int] = {}
    for entry in sizes.split(",") if sizes else []:
        label, size = entry.split()
        lengths[int(label)] = int(size)
    path = paths.auto(terms, frozenset(map(int, output.split())), lengths)
    return ",".join(f"{i} {j}" for i, j in _pairs(path, len(terms)))


def _pairs(path: Any, count: int) -> list[tuple[int, int]]:
    """Steps of any number of operands as steps of two; positions from 1."""
    pairs = []
    for step in path:
        positions = sorted(int(position) + 1 for position in step)
        while len(positions) > 1:
            first, second = positions[:2]
            pairs.append((first, second))
            count -= 1
            # The two have left the list, and their product is its last.
            positions = [position - 2 for position in positions[2:]] + [count]
    return pairs
