"""The gradients of gradients.lua in PyTorch on the CPU: prints name, tab, microseconds, the least of many.

python gradients.py THREADS [part of a name]
"""

from __future__ import annotations

import sys

import torch
from measuring import Work, row
from torch import Tensor, nn
from torch.nn import functional as F


def parameters(*sizes: tuple[int, ...]) -> list[Tensor]:
    """Random tensors that have gradients."""
    return [(torch.randn(*size) * 0.05).requires_grad_() for size in sizes]


def descent(params: list[Tensor], loss: Tensor) -> None:
    """A step along the gradient."""
    gradients = torch.autograd.grad(loss, params)
    with torch.no_grad():
        for p, g in zip(params, gradients, strict=True):
            p.add_(g, alpha=-0.01)


def mlp() -> Work:
    """The step of a network of two layers, written with tensors."""
    x, y = torch.rand(32, 784), torch.randint(10, (32,))
    params = parameters((784, 300), (1, 300), (300, 10), (1, 10))
    w1, b1, w2, b2 = params

    def step() -> None:
        out = torch.tanh(x @ w1 + b1) @ w2 + b2
        descent(params, F.nll_loss(F.log_softmax(out, 1), y))

    return step


def modules() -> Work:
    """The same with modules."""
    x, y = torch.rand(32, 784), torch.randint(10, (32,))
    net = nn.Sequential(nn.Linear(784, 300), nn.Tanh(), nn.Linear(300, 10), nn.LogSoftmax(1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step() -> None:
        optimizer.zero_grad()
        loss: Tensor = F.nll_loss(net(x), y)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step


def gru() -> Work:
    """A recurrent network, step by step."""
    x = torch.rand(16, 20, 64)
    params = parameters((128, 128), (1, 128), (128, 64), (1, 64))
    w, b, v, c = params

    def gradient() -> None:
        h = torch.zeros(16, 64)
        for t in range(20):
            gates = torch.sigmoid(torch.cat((x[:, t], h), 1) @ w + b)
            reset, update = gates[:, :64], gates[:, 64:]
            value = torch.tanh(torch.cat((x[:, t], h * reset), 1) @ v + c)
            h = (1 - update) * h + update * value
        torch.autograd.grad(h.sum(), params)

    return gradient


def small() -> Work:
    """A function of small tensors."""
    w, x = torch.randn(4, 4, requires_grad=True), torch.randn(4)
    return lambda: torch.autograd.grad(torch.tanh(w @ x).sum(), w)


def second() -> Work:
    """The derivative of a product with a gradient."""
    a, v = torch.randn(50, 50), torch.randn(50)
    x = torch.randn(50, requires_grad=True)

    def product() -> None:
        (g,) = torch.autograd.grad(torch.exp(torch.tanh(a @ x)).sum(), x, create_graph=True)
        torch.autograd.grad(g @ v, x)

    return product


def main() -> None:
    """Prints the rows."""
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(1)
    row("MLP 784-300-10, batch 32, gradient step", mlp, 1)
    row("MLP 784-300-10, batch 32, modules of nn", modules, 1)
    row("GRU 64, 20 steps, batch 16, gradient", gru, 1)
    row("sum(tanh(w x)), w 4x4, gradient", small)
    row("product of a gradient and a vector, differentiated, 50", second)


if __name__ == "__main__":
    main()
