"""The operations of along.lua in PyTorch on the CPU: prints name, tab, microseconds, the least of many.

python along.py THREADS [part of a name]
"""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace as Tools

import torch
from measuring import measure
from torch import Tensor

PART = sys.argv[2] if len(sys.argv) > 2 else ""
BUDGET = 0.05

WORKS = {
    "cumsum": lambda x, d, t: torch.cumsum(x, d, out=t.to),
    "cumprod": lambda x, d, t: torch.cumprod(x, d, out=t.to),
    "gather": lambda x, d, t: x.gather(d, t.places),
    "scatter": lambda x, d, t: t.to.scatter_(d, t.places, t.other),
    "scatter of a number": lambda x, d, t: t.to.scatter_(d, t.places, 1),
    "index": lambda x, d, t: x.index_select(d, t.half),
    "indexCopy": lambda x, d, t: t.to.index_copy_(d, t.half, t.slices),
    "indexAdd": lambda x, d, t: t.to.index_add_(d, t.half, t.slices),
    "indexFill": lambda x, d, t: t.to.index_fill_(d, t.half, 1),
    "sum": lambda x, d, t: x.sum(d, keepdim=True),
    "std": lambda x, d, t: x.std(d, keepdim=True),
    "norm": lambda x, d, t: x.norm(2, d, keepdim=True),
    "max": lambda x, d, t: x.max(d, keepdim=True),
    "sort": lambda x, d, t: x.sort(d),
    "topk": lambda x, d, t: x.topk(3, d, False, True),
    "median": lambda x, d, t: x.median(d, keepdim=True),
    "kthvalue": lambda x, d, t: x.kthvalue(t.third, d, keepdim=True),
    "mode": lambda x, d, t: x.mode(d, keepdim=True),
    "renorm": lambda x, d, t: x.renorm(2, d, 1),
    "cat": lambda x, d, t: torch.cat((x, t.other), d),
}


def row(name: str, work: partial[Tensor]) -> None:
    """Times a row, if it is wanted."""
    if PART in name:
        measure(name, work, BUDGET)


def rows(kind: torch.dtype, size: tuple[int, int]) -> None:
    """The rows for a matrix."""
    x, other = torch.rand(size, dtype=kind), torch.rand(size, dtype=kind)
    to = torch.zeros(size, dtype=kind)
    text = f"of {size[0]}x{size[1]} {'Float' if kind == torch.float32 else 'Double'}"
    for d in (0, 1):
        n = size[d]
        half = torch.randperm(n)[: n // 2].clone()
        tools = Tools(to=to, other=other, half=half, slices=x.index_select(d, half), third=n // 3)
        tools.places = torch.randint(0, n, size)
        for name, work in WORKS.items():
            row(f"{name} along {d + 1} {text}", partial(work, x, d, tools))
    row(f"uniform {text}", partial(to.uniform_))
    row(f"normal {text}", partial(to.normal_))
    row(f"tril {text}", partial(torch.tril, x))


def main() -> None:
    """Prints the rows."""
    torch.manual_seed(1)
    if len(sys.argv) > 1:
        torch.set_num_threads(int(sys.argv[1]))
    for kind in (torch.float32, torch.float64):
        for size in ((32, 32), (128, 1000), (1000, 1000)):
            rows(kind, size)


if __name__ == "__main__":
    main()
