"""Fine-tunes a network of Torch7 from Python: loads a .t7 file, trains it with NumPy, saves it.

    python3 examples/fine_tune.py

makes a small network first, as an old file would hold it. With a file of your own, `make` is not needed, and
`points` gives your data.
"""

from __future__ import annotations

import numpy as np

from t7shell import Model, Runtime, load_model


def make(path: str) -> None:
    """Writes a network that tells three classes of points in the plane, untrained."""
    with Runtime() as lua:
        lua.execute(
            """
            require 'nn'
            torch.manualSeed(1)
            net = nn.Sequential()
               :add(nn.Linear(2, 32)):add(nn.Tanh()):add(nn.Dropout(0.1))
               :add(nn.Linear(32, 3)):add(nn.LogSoftMax())
            """
        )
        lua.globals["torch"].save(path, lua.globals["net"])


def points(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of three rings around the origin, and the numbers of their rings, from 0."""
    draw = np.random.default_rng(seed)
    ring = draw.integers(0, 3, count)
    radius = ring + 1 + draw.normal(0, 0.2, count)
    angle = draw.uniform(0, 2 * np.pi, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), ring


def accuracy(model: Model, x: np.ndarray, ring: np.ndarray) -> float:
    """The part of the points whose ring is found."""
    return float((model.eval()(x).argmax(axis=1) == ring).mean())


def train(model: Model, x: np.ndarray, ring: np.ndarray, steps: int, rate: float) -> None:
    """Stochastic gradient descent with momentum on the negative log likelihood."""
    model.train()
    draw = np.random.default_rng(3)
    parameters, gradients = model.parameters(), model.gradients()
    velocity = {name: np.zeros_like(array) for name, array in parameters.items()}
    for _ in range(steps):
        batch = draw.integers(0, len(x), 64)
        output = model.forward(x[batch])
        # The loss is the mean of -output[i, class of i]: this is its gradient.
        gradient = np.zeros_like(output)
        gradient[np.arange(64), ring[batch]] = -1 / 64
        model.zero_grad()
        model.backward(x[batch], gradient)
        for name, array in parameters.items():
            velocity[name] = 0.9 * velocity[name] - rate * gradients[name]
            array += velocity[name]         # the memory of the network


def main() -> None:
    make("old.t7")
    model = load_model("old.t7")
    print(model)
    x, ring = points(2000, seed=1)
    test, test_ring = points(500, seed=2)
    print(f"before: {'less' if accuracy(model, test, test_ring) < 0.6 else 'more'} than 60% right")
    train(model, x, ring, steps=2000, rate=0.05)
    print(f"after: {'more' if accuracy(model, test, test_ring) > 0.9 else 'less'} than 90% right")
    model.save("new.t7")
    again = load_model("new.t7")
    print("saved and loaded:", bool((again.eval()(test) == model.eval()(test)).all()))


if __name__ == "__main__":
    main()
