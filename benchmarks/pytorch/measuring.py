"""Shared by the programs of this folder: rows with their times."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

Work = Callable[[], object]
PART = sys.argv[2] if len(sys.argv) > 2 else ""


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


def row(name: str, make: Callable[[], Work | tuple[Work, Work]], budget: float = 0.5) -> None:
    """A row, or two with `name` at their beginning, if it has the text that is asked for."""
    if PART not in name:
        return
    gc.collect()
    made = make()
    if not isinstance(made, tuple):
        measure(name, made, budget)
        return
    measure(f"{name} forward", made[0], budget)
    measure(f"{name} backward", made[1], budget)


def passes(module: nn.Module, x: Tensor) -> tuple[Work, Work]:
    """The forward pass of a module, and its backward pass alone."""
    if x.is_floating_point():
        x.requires_grad_(True)

    def forward() -> None:
        with torch.no_grad():
            module(x)

    y = module(x)
    gradient = torch.rand_like(y)
    wanted = [*module.parameters(), *([x] if x.requires_grad else [])]
    return forward, lambda: torch.autograd.grad(y, wanted, gradient, retain_graph=True)


def layer(name: str, module: nn.Module, make: Callable[[], Tensor]) -> None:
    """Both rows of a module for an input."""
    row(name, lambda: passes(module, make()))
