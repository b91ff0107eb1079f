"""Programs on a device, through t7shell and in plain PyTorch on the same device, side by side.

    python benchmarks/gpu/run.py [--device cuda:0] [--size small] [--steps 20]

Prints the milliseconds of a step of each and PyTorch's over t7shell's: the part of its speed that is reached.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from t7shell import Runtime

HERE = Path(__file__).parent


class Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, before: int, planes: int, stride: int) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(before, planes, 3, stride, 1, bias=False),
            nn.BatchNorm2d(planes),
            nn.ReLU(inplace=True),
            nn.Conv2d(planes, planes, 3, 1, 1, bias=False),
            nn.BatchNorm2d(planes),
        )
        self.short = (
            nn.Identity()
            if before == planes and stride == 1
            else nn.Sequential(nn.Conv2d(before, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu_(self.main(x) + self.short(x))


def resnet(full: bool) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """The network of networks.lua, a batch, and its classes."""
    planes = [64, 64, 128, 128, 256, 256, 512, 512] if full else [8, 16]
    layers: list[nn.Module] = (
        [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
        if full
        else [nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(True), nn.MaxPool2d(2)]
    )
    before = planes[0]
    for count in planes:
        layers.append(Block(before, count, 1 if count == before else 2))
        before = count
    layers += [nn.AvgPool2d(7 if full else 4), nn.Flatten(), nn.Linear(before, 10), nn.LogSoftmax(1)]
    batch, pixels = (64, 224) if full else (4, 16)
    return nn.Sequential(*layers), torch.randn(batch, 3, pixels, pixels), torch.randint(10, (batch,))


class Characters(nn.Module):
    """Embeddings, an LSTM, and a softmax for each character."""

    def __init__(self, vocabulary: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.table, self.lstm = nn.Embedding(vocabulary, hidden), nn.LSTM(hidden, hidden, layers)
        self.last = nn.Linear(hidden, vocabulary)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, _ = self.lstm(self.table(x))
        return torch.log_softmax(self.last(y.flatten(0, 1)), 1)


def lstm(full: bool) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """The same for the character model."""
    vocabulary, hidden, layers, steps, batch = (100, 512, 2, 100, 64) if full else (20, 12, 1, 6, 3)
    words = torch.randint(vocabulary, (steps, batch))
    return Characters(vocabulary, hidden, layers), words, torch.randint(vocabulary, (steps * batch,))


def trained(made: tuple[nn.Module, torch.Tensor, torch.Tensor], device: str) -> Callable[[], float]:
    """A step of SGD with momentum, which gives the loss."""
    net, x, target = made[0].to(device), made[1].to(device), made[2].to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)

    def step() -> float:
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(net(x), target)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step


def product(full: bool, device: str) -> Callable[[], float]:
    """A large matrix product, and one element of the result."""
    n = 8192 if full else 256
    a, b = torch.randn(n, n, device=device), torch.randn(n, n, device=device)
    return lambda: float(torch.mm(a, b)[0, 0])


def milliseconds(step: Callable[[], object], steps: int) -> float:
    for _ in range(3):
        step()
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    return (time.perf_counter() - begin) / steps * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0", help="a device of PyTorch (default: cuda:0)")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    full = options.size == "full"
    if options.device == "cpu":
        # As t7shell does.
        torch.set_num_threads(1)
    plain = {
        "resnet": trained(resnet(full), options.device),
        "lstm": trained(lstm(full), options.device),
        "product": product(full, options.device),
    }
    expected = {name: milliseconds(step, options.steps) for name, step in plain.items()}
    os.environ["T7_CUDA"] = f"pytorch:{options.device}"
    runtime = Runtime()
    runtime.execute(
        f"""
        networks = dofile({str(HERE / "networks.lua")!r})
        function networks.product(size)
           local n = size == 'full' and 8192 or 256
           local a, b = torch.CudaTensor(n, n):normal(), torch.CudaTensor(n, n):normal()
           local c = torch.CudaTensor(n, n)
           return function()
              torch.mm(c, a, b)
              return c:view(-1)[1]
           end
        end
        """
    )
    print(f"{'':10} {'t7shell':>10} {'PyTorch':>10}  (ms a step on {options.device})")
    for name in plain:
        step = runtime.eval(f"networks.{name}('{options.size}')")
        found = milliseconds(step, options.steps)
        print(f"{name:10} {found:10.2f} {expected[name]:10.2f}  {expected[name] / found:.2f} of its speed")
    print("computed by the CPU:", dict(runtime.eval("cutorch.fallbacks()")) or "nothing")


if __name__ == "__main__":
    main()
