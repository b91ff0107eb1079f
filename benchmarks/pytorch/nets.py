"""The steps and layers of nets.lua in PyTorch on the CPU: prints name, tab, microseconds, the least of many.

python nets.py THREADS [part of a name]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
from measuring import Work, layer, row
from torch import Tensor, nn
from torch.nn import functional as F


def training(net: nn.Module, x: Tensor, y: Tensor) -> Work:
    """A step of stochastic gradient descent with momentum."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss = F.nll_loss(net(x), y)
        loss.backward()
        optimizer.step()
        loss.item()

    return step


def pixels(*size: int) -> Callable[[], Tensor]:
    """Random inputs of a size."""
    return lambda: torch.rand(*size)


def xor() -> Work:
    """A step with one sample."""
    net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.randn(2), torch.ones(1)

    def step() -> None:
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()

    return step


class TextClassifier(nn.Module):
    """The text of a batch as rows of 50 vectors, of which convolutions of 3 neighbors make features."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.convolution = nn.Embedding(5000, 64), nn.Conv1d(64, 128, 3)
        self.last = nn.Linear(128, 5)

    def forward(self, x: Tensor) -> Tensor:
        features = F.relu(self.convolution(self.table(x).transpose(1, 2)))
        return F.log_softmax(self.last(features.amax(2)), 1)


def recurrent(size: int, batch: int, steps: int, layers: int) -> Work:
    """Memory cells in single operations, as the graph of nets.lua has them."""
    linears = [(nn.Linear(size, 4 * size), nn.Linear(size, 4 * size)) for _ in range(layers)]
    parameters = [p for pair in linears for linear in pair for p in linear.parameters()]
    xs, ones = [torch.randn(batch, size) for _ in range(steps)], torch.ones(batch, size)

    def step() -> None:
        given = xs
        for first, second in linears:
            c = h = torch.zeros(batch, size)
            outputs = []
            for x in given:
                i, f, o, u = (first(x) + second(h)).chunk(4, 1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(u)
                h = torch.sigmoid(o) * torch.tanh(c)
                outputs.append(h)
            given = outputs
        for p in parameters:
            p.grad = None
        given[-1].backward(ones)
        with torch.no_grad():
            for p in parameters:
                assert p.grad is not None
                p.add_(p.grad, alpha=-0.01)

    return step


def million() -> Tensor:
    """Normally distributed inputs."""
    return torch.randn(1000, 1000)


class Scale(nn.Module):
    """A factor for each column."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


def smooth() -> tuple[Work, Work]:
    """The loss of two tensors, and its gradient."""
    x, y = million().requires_grad_(), million()
    loss = F.smooth_l1_loss(x, y)

    def forward() -> None:
        with torch.no_grad():
            F.smooth_l1_loss(x, y)

    return forward, lambda: torch.autograd.grad(loss, x, retain_graph=True)


def addcmul() -> Work:
    """Two element-wise operations into memory that is there."""
    r, x, y = million(), million(), million()
    return lambda: torch.addcmul(x, x, y, value=0.5, out=r).clamp_(-1, 1)


def magnitudes() -> Tensor:
    """Inputs between 0.01 and 0.99."""
    return million().abs().clamp(0.01, 0.99)


def operations() -> None:
    """Operations on 10^6 numbers: a row for each kind of loop."""
    r, x, y, z = million(), magnitudes(), million(), million()
    doubles = x.double()
    logs, rows, columns = doubles.clone(), torch.empty(1000, 1).double(), torch.empty(1, 1000).double()
    numbers = torch.empty(1_000_000)
    row("atan 10^6", lambda: lambda: torch.atan(x, out=r))
    row("acos 10^6", lambda: lambda: torch.acos(x, out=r))
    row("atan2 10^6", lambda: lambda: torch.atan2(y, z, out=r))
    row("fmod 10^6", lambda: lambda: torch.fmod(y, 1.5, out=r))
    row("log of doubles 10^6", lambda: lambda: torch.log(doubles, out=logs))
    for function in (torch.sin, torch.tan, torch.asin, torch.atan, torch.exp):
        row(f"{function.__name__} of doubles 10^6", lambda f=function: lambda: f(doubles, out=logs))
    wide, far = y.double(), z.double()
    row("atan2 of doubles 10^6", lambda: lambda: torch.atan2(wide, far, out=logs))
    row("fmod of doubles 10^6", lambda: lambda: torch.fmod(wide, 1.5, out=logs))
    row("pow of doubles 10^6", lambda: lambda: torch.pow(doubles, 2.5, out=logs))
    row("rows of doubles added up 1000x1000", lambda: lambda: torch.sum(doubles, 1, True, out=rows))
    row("columns of doubles added up 1000x1000", lambda: lambda: torch.sum(doubles, 0, True, out=columns))
    row("transposed matrix added 1000x1000", lambda: lambda: torch.add(x, y.t(), out=r))
    row("linspace 10^6", lambda: lambda: torch.linspace(0, 1, 1_000_000, out=numbers))
    row("range 10^6", lambda: lambda: torch.arange(1, 1_000_001, out=numbers))


def cross_entropy() -> tuple[Work, Work]:
    """The loss of a batch, and its gradient."""
    x, y = torch.rand(128, 1000, requires_grad=True), torch.randint(1000, (128,))
    loss = F.cross_entropy(x, y)

    def forward() -> None:
        with torch.no_grad():
            F.cross_entropy(x, y)

    return forward, lambda: torch.autograd.grad(loss, x, retain_graph=True)


def steps_of(make: Callable[[list[Tensor]], torch.optim.Optimizer]) -> Work:
    """Steps over 10^6 parameters, with a gradient that costs nothing."""
    x = torch.randn(1_000_000, requires_grad=True)
    x.grad = torch.randn(1_000_000)
    return make([x]).step


def lbfgs() -> Work:
    """Five iterations from the same start, with the gradient in closed form."""
    x, scale = torch.ones(1_000_000, requires_grad=True), torch.rand(1_000_000) + 0.5
    x.grad = torch.empty(1_000_000)

    def evaluate() -> float:
        with torch.no_grad():
            assert x.grad is not None
            torch.mul(x, scale, out=x.grad)
            return float(x.dot(x.grad)) / 2

    def run() -> None:
        with torch.no_grad():
            x.fill_(1)
        torch.optim.LBFGS([x], lr=0.5, max_iter=5, history_size=10).step(evaluate)

    return run


def main() -> None:
    """Prints the rows in the order of nets.lua."""
    torch.manual_seed(1)
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())
    row("XOR, a sample", xor)
    mlp = nn.Sequential(nn.Linear(784, 300), nn.ReLU(), nn.Linear(300, 10), nn.LogSoftmax(1))
    row("MLP 784-300-10, batch 32", lambda: training(mlp, torch.rand(32, 784), torch.randint(10, (32,))))
    lenet = nn.Sequential(
        *(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(1024, 200), nn.ReLU(), nn.Linear(200, 10), nn.LogSoftmax(1)),
    )
    row("LeNet, batch 32", lambda: training(lenet, torch.rand(32, 1, 28, 28), torch.randint(10, (32,))), 1.5)
    text = torch.randint(5000, (32, 50))
    name = "TemporalConvolution classifier, batch 32"
    row(name, lambda: training(TextClassifier(), text, torch.randint(5, (32,))), 1)
    row("LSTM 128, batch 32, 25 steps", lambda: recurrent(128, 32, 25, 1), 1.5)
    row("LSTM 2 layers of 256, batch 32, 25 steps", lambda: recurrent(256, 32, 25, 2), 3)
    layer("Linear 1000x1000, batch 128", nn.Linear(1000, 1000), pixels(128, 1000))
    layer("BatchNormalization 512, batch 128", nn.BatchNorm1d(512), pixels(128, 512))
    layer("SpatialBatchNormalization 64x28x28, batch 16", nn.BatchNorm2d(64), pixels(16, 64, 28, 28))
    layer("max pooling 2x2 64x56x56, batch 8", nn.MaxPool2d(2), pixels(8, 64, 56, 56))
    layer("ReLU 10^6", nn.ReLU(), million)
    layer("Sigmoid 10^6", nn.Sigmoid(), million)
    layer("Tanh 10^6", nn.Tanh(), million)
    layer("SoftPlus 10^6", nn.Softplus(), million)
    layer("PReLU of 1000 slopes 10^6", nn.PReLU(1000), million)
    layer("PReLU of 64 maps 28x28, batch 16", nn.PReLU(64), lambda: torch.randn(16, 64, 28, 28))
    layer("CMul 10000x100", Scale(100), lambda: torch.randn(10000, 100))
    layer("SoftMax 10^5", nn.Softmax(0), pixels(100000))
    layer("LogSoftMax 128x1000", nn.LogSoftmax(1), pixels(128, 1000))
    layer("lookup table 10000x128, 32x50", nn.Embedding(10000, 128), lambda: torch.randint(10000, (32, 50)))
    row("smooth L1 10^6", smooth)
    row("addcmul and clamp 10^6", addcmul)
    operations()
    row("cross entropy 128x1000", cross_entropy)
    row("adam 10^6", lambda: steps_of(lambda x: torch.optim.Adam(x, lr=1e-6)))
    row("rmsprop 10^6", lambda: steps_of(lambda x: torch.optim.RMSprop(x, lr=1e-6)))
    row("lbfgs 10^6, 5 iterations", lbfgs, 2)


if __name__ == "__main__":
    main()
