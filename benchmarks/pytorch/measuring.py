"""Shared by the programs of this folder: rows with their times."""

from __future__ import annotations

import time
from collections.abc import Callable

Work = Callable[[], object]


def measure(name: str, work: Work, budget: float) -> None:
    """Prints the least microseconds of three or more batches of a millisecond, for `budget` seconds."""
    for _ in range(3):
        work()
    count, best, batches, start = 1, float("inf"), 0, time.perf_counter()
    while time.perf_counter() - start < budget or batches < 3:
        begin = time.perf_counter()
        for _ in range(count):
            work()
        real = time.perf_counter() - begin
        best, batches = min(best, real / count), batches + 1
        if real < 0.001:
            count *= 2
    print(f"{name}\t{best * 1e6:.2f}", flush=True)
