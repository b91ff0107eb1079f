"""The convolutions of convolutions.lua in PyTorch on the CPU: prints name, tab, microseconds, least of many.

python convolutions.py THREADS [part of a name]
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

import torch
from measuring import Work, measure
from torch import Tensor, nn
from torch.nn import functional as F

PART = sys.argv[2] if len(sys.argv) > 2 else ""


def row(name: str, make: Callable[[], Work], budget: float = 2) -> None:
    """Times the result of `make`, if the row is selected."""
    if PART not in name:
        return
    gc.collect()
    measure(name, make(), budget)


def inference(make: Callable[[], nn.Module], *size: int) -> Callable[[], Work]:
    """Makes the function of a forward pass without gradients."""

    def made() -> Work:
        net, x = make().eval(), torch.rand(size)

        def work() -> None:
            with torch.no_grad():
                net(x)

        return work

    return made


def gradients(make: Callable[[], nn.Module], *size: int) -> Callable[[], Work]:
    """Makes the function of a backward pass."""

    def made() -> Work:
        net, x = make(), torch.rand(size, requires_grad=True)
        y = net(x)
        g, wanted = torch.rand_like(y), [*net.parameters(), x]
        return lambda: torch.autograd.grad(y, wanted, g, retain_graph=True)

    return made


def layer(name: str, make: Callable[[], nn.Module], *size: int) -> None:
    """Two rows of a layer for an input of a size."""
    row(f"{name} forward", inference(make, *size))
    row(f"{name} backward", gradients(make, *size))


def conv(inputs: int, outputs: int, kernel: int, stride: int, pad: int) -> nn.Module:
    return nn.Conv2d(inputs, outputs, kernel, stride, pad)


def full(inputs: int, outputs: int) -> nn.Module:
    return nn.ConvTranspose2d(inputs, outputs, 4, 2, 1)


class Block(nn.Module):
    """A residual block; `stride` above 1 has a convolution of 1x1 as its shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.main = nn.Sequential(
            conv(inputs, outputs, 3, stride, 1),
            nn.BatchNorm2d(outputs),
            nn.ReLU(True),
            conv(outputs, outputs, 3, 1, 1),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride, 0), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.main(x).add_(self.shortcut(x)), inplace=True)


def resnet18() -> nn.Module:
    head = [conv(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    blocks = [Block(64, 64, 1), Block(64, 64, 1)]
    for planes in (128, 256, 512):
        blocks += [Block(planes // 2, planes, 2), Block(planes, planes, 1)]
    return nn.Sequential(*head, *blocks, nn.AvgPool2d(7), nn.Flatten(), nn.Linear(512, 1000))


def vgg16() -> nn.Module:
    layers: list[nn.Module] = []
    inputs = 3
    for planes, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            layers += [conv(inputs, planes, 3, 1, 1), nn.ReLU(True)]
            inputs = planes
        layers.append(nn.MaxPool2d(2))
    layers += [nn.Flatten(), nn.Linear(25088, 4096), nn.ReLU(True), nn.Linear(4096, 4096), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.Linear(4096, 1000))


def alexnet() -> nn.Module:
    return nn.Sequential(
        *(conv(3, 64, 11, 4, 2), nn.ReLU(True), nn.MaxPool2d(3, 2)),
        *(conv(64, 192, 5, 1, 2), nn.ReLU(True), nn.MaxPool2d(3, 2)),
        *(conv(192, 384, 3, 1, 1), nn.ReLU(True), conv(384, 256, 3, 1, 1), nn.ReLU(True)),
        *(conv(256, 256, 3, 1, 1), nn.ReLU(True), nn.MaxPool2d(3, 2), nn.Flatten()),
        *(nn.Linear(9216, 4096), nn.ReLU(True), nn.Linear(4096, 4096), nn.ReLU(True)),
        *(nn.Linear(4096, 1000), nn.LogSoftmax(1)),
    )


def generator() -> nn.Module:
    """From 100 numbers to a picture of 64x64."""
    layers = [nn.ConvTranspose2d(100, 512, 4), nn.BatchNorm2d(512), nn.ReLU(True)]
    for planes in (256, 128, 64):
        layers += [full(planes * 2, planes), nn.BatchNorm2d(planes), nn.ReLU(True)]
    return nn.Sequential(*layers, full(64, 3), nn.Tanh())


def decoder() -> nn.Module:
    layers: list[nn.Module] = []
    inputs = 256
    for planes in (128, 64, 32):
        layers += [full(inputs, planes), nn.ReLU(True), conv(planes, planes, 3, 1, 1), nn.ReLU(True)]
        inputs = planes
    return nn.Sequential(*layers, conv(32, 21, 1, 1, 0))


def training(
    net: nn.Module, criterion: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor
) -> Callable[[], Work]:
    """Makes a step of stochastic gradient descent with momentum."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        loss.item()

    return lambda: step


def residual_step() -> Work:
    net, g = Block(64, 64, 1), torch.rand(8, 64, 28, 28)
    x = torch.rand(8, 64, 28, 28, requires_grad=True)

    def step() -> None:
        net.zero_grad(set_to_none=False)
        x.grad = None
        net(x).backward(g)

    return step


def main() -> None:
    """Prints the rows."""
    torch.manual_seed(1)
    if len(sys.argv) > 1:
        torch.set_num_threads(int(sys.argv[1]))
    layer("convolution 3x3 64-64 56x56, batch 4", lambda: conv(64, 64, 3, 1, 1), 4, 64, 56, 56)
    layer("convolution 3x3 128-128 28x28, batch 8", lambda: conv(128, 128, 3, 1, 1), 8, 128, 28, 28)
    layer("convolution 3x3 256-256 14x14, batch 8", lambda: conv(256, 256, 3, 1, 1), 8, 256, 14, 14)
    layer("convolution 3x3 512-512 28x28, batch 1", lambda: conv(512, 512, 3, 1, 1), 1, 512, 28, 28)
    layer("convolution 5x5 32-64 12x12, batch 32", lambda: conv(32, 64, 5, 1, 0), 32, 32, 12, 12)
    layer("convolution 7x7/2 3-64 112x112, batch 4", lambda: conv(3, 64, 7, 2, 3), 4, 3, 112, 112)
    layer("convolution 1x1 256-64 28x28, batch 8", lambda: conv(256, 64, 1, 1, 0), 8, 256, 28, 28)
    layer("full convolution 4x4/2 64-32 16x16, batch 8", lambda: full(64, 32), 8, 64, 16, 16)
    name = "depthwise convolution 3x3 64 56x56, batch 8"
    layer(name, lambda: nn.Conv2d(64, 64, 3, 1, 1, groups=64), 8, 64, 56, 56)
    name = "depthwise convolution 3x3/2 128 28x28, batch 8"
    layer(name, lambda: nn.Conv2d(128, 128, 3, 2, 1, groups=128), 8, 128, 28, 28)
    name = "dilated convolution 3x3 256-256 28x28, batch 2"
    layer(name, lambda: nn.Conv2d(256, 256, 3, 1, 2, 2), 2, 256, 28, 28)
    name = "volumetric convolution 3x3x3 32-64 8x28x28, batch 2"
    layer(name, lambda: nn.Conv3d(32, 64, 3, 1, 1), 2, 32, 8, 28, 28)
    # Frames of features are columns of planes here.
    layer("temporal convolution 3 64-128 200, batch 16", lambda: nn.Conv1d(64, 128, 3), 16, 64, 200)
    layer("row convolution 3 128 200, batch 16", lambda: nn.Conv1d(128, 128, 3, groups=128), 16, 128, 200)
    row("residual block 64x28x28, batch 8, a step", residual_step)
    row("ResNet-18 224x224, batch 1", inference(resnet18, 1, 3, 224, 224))
    row("ResNet-18 224x224, batch 8", inference(resnet18, 8, 3, 224, 224), 4)
    row("VGG-16 224x224, batch 1", inference(vgg16, 1, 3, 224, 224), 4)
    row("VGG-16 224x224, batch 8", inference(vgg16, 8, 3, 224, 224), 6)
    row("decoder 256x16x16, batch 4", inference(decoder, 4, 256, 16, 16))
    x, y = torch.rand(8, 3, 224, 224), torch.randint(0, 1000, (8,))
    row("AlexNet 224x224, batch 8, a step", lambda: training(alexnet(), F.nll_loss, x, y)(), 6)
    z, images = torch.randn(16, 100, 1, 1), torch.rand(16, 3, 64, 64)
    row("DCGAN generator 64x64, batch 16, a step", lambda: training(generator(), F.mse_loss, z, images)(), 6)


if __name__ == "__main__":
    main()
