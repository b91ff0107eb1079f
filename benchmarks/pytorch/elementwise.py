"""The rows of elementwise.lua in PyTorch on the CPU: prints name, tab, microseconds, least of many.

python elementwise.py THREADS [part of a name]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
from measuring import Work, layer, row
from torch import Tensor, nn
from torch.nn import functional as F

TYPES = {
    "Byte": torch.uint8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64,
    "Float": torch.float32, "Double": torch.float64,
}  # fmt: skip
CONVERSIONS = (
    "Byte Float,Short Float,Int Float,Long Float,Float Byte,Float Int,Float Long,"
    "Byte Double,Long Double,Double Byte,Byte Long,Long Int"
)


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.f = f

    def forward(self, x: Tensor) -> Tensor:
        return self.f(x)


def normal(*size: int) -> Callable[[], Tensor]:
    """Normally distributed inputs of a size."""
    return lambda: torch.randn(*size)


def gate() -> Tensor:
    """A quarter of the columns of a matrix."""
    return torch.randn(32, 512)[:, :128]


def larger() -> tuple[Work, Work]:
    """The larger of two tensors, and its gradients."""
    x, y, gradient = (torch.randn(1000, 1000) for _ in range(3))
    a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
    result = torch.maximum(a, b)
    return (
        lambda: torch.maximum(x, y),
        lambda: torch.autograd.grad(result, [a, b], gradient, retain_graph=True),
    )


def hinge() -> tuple[Work, Work]:
    """The loss of distances, and its gradient."""
    x, y = torch.randn(1_000_000, requires_grad=True), torch.randn(1_000_000).sign()
    loss = F.hinge_embedding_loss(x, y)

    def forward() -> None:
        with torch.no_grad():
            F.hinge_embedding_loss(x, y)

    return forward, lambda: torch.autograd.grad(loss, x, retain_graph=True)


def conversion(pair: str) -> Work:
    """A copy between two types, into memory that is there."""
    source, target = pair.split()
    x = (torch.randn(1000, 1000).abs() * 50).to(TYPES[source])
    r = torch.empty(1000, 1000, dtype=TYPES[target])
    return lambda: r.copy_(x)


def main() -> None:
    """Prints the rows in the order of elementwise.lua."""
    torch.manual_seed(1)
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())
    layer("LayerNormalization 1000, batch 128", nn.LayerNorm(1000), normal(128, 1000))
    layer("LayerNormalization 1000, batch 1000", nn.LayerNorm(1000), normal(1000, 1000))
    layer("Normalize 1000, batch 128", Function(F.normalize), normal(128, 1000))
    layer("GatedLinearUnit 1000, batch 128", nn.GLU(1), normal(128, 1000))
    layer("SoftMin 128x1000", nn.Softmin(1), normal(128, 1000))
    layer("Power 2 10^6", Function(torch.square), normal(1000, 1000))
    layer("LeakyReLU 10^6", nn.LeakyReLU(0.1), normal(1000, 1000))
    layer("Sigmoid of a gate, 128 of 512, batch 32", nn.Sigmoid(), gate)
    layer("Tanh of a gate, 128 of 512, batch 32", nn.Tanh(), gate)
    row("larger of two tables 10^6", larger)
    row("hinge embedding 10^6", hinge)
    for pair in CONVERSIONS.split(","):
        row(f"{pair.replace(' ', ' to ')} 10^6", lambda pair=pair: conversion(pair))
    r, x, wide = torch.randn(1000, 1000), torch.randn(1000, 1000), torch.randn(1000, 2000)
    row("slice added 1000x1000", lambda: lambda: torch.add(wide[:, :1000], x, out=r))
    row("slice clamped 1000x1000", lambda: lambda: torch.clamp(wide[:, :1000], -1, 1, out=r))
    row("row added 1000x1000", lambda: lambda: torch.add(x, wide[:1, :1000], out=r))
    images, inner, some = (
        torch.randn(16, 64, 28, 28),
        torch.randn(16, 64, 26, 26),
        torch.randn(16, 32, 28, 28),
    )
    inside, channels = images[:, :, 1:27, 1:27], images[:, 16:48]
    row("crop of images scaled 16x64x28x28", lambda: lambda: torch.mul(inside, 2, out=inner))
    row("channels of images added 16x64x28x28", lambda: lambda: torch.add(channels, some, out=some))


if __name__ == "__main__":
    main()
