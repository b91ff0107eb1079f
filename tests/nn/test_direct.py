"""Convolutions of any stride, padding and dilation, against sums over taps in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, np.dtype[np.float64]]
Sizes = tuple[int, ...]

# The constructor, the size of the input, kernel, stride, padding, and dilation where the layer has one.
PLAIN = [
    ("SpatialConvolution(3, 64, 7, 7, 2, 2, 3, 3)", (3, 3, 30, 34), (7, 7), (2, 2), (3, 3), (1, 1)),
    ("SpatialConvolution(5, 7, 4, 3, 2, 1, 1, 0)", (9, 5, 13, 17), (3, 4), (1, 2), (0, 1), (1, 1)),
    ("SpatialConvolution(3, 13, 5, 4, 4, 5, 2, 3)", (2, 3, 23, 21), (4, 5), (5, 4), (3, 2), (1, 1)),
    ("SpatialConvolution(1, 3, 3, 3, 1, 1, 1, 1)", (2, 1, 9, 80), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("SpatialConvolution(6, 20, 3, 3, 3, 3, 1, 1)", (1, 6, 50, 49), (3, 3), (3, 3), (1, 1), (1, 1)),
    ("SpatialConvolution(4, 5, 2, 2)", (3, 4, 9, 9), (2, 2), (1, 1), (0, 0), (1, 1)),
    (
        "SpatialDilatedConvolution(4, 5, 3, 3, 2, 1, 2, 2, 2, 3)",
        (2, 4, 20, 21),
        (3, 3),
        (1, 2),
        (2, 2),
        (3, 2),
    ),
    (
        "VolumetricConvolution(3, 5, 3, 2, 3, 2, 2, 1, 1, 0, 1)",
        (2, 3, 7, 9, 13),
        (3, 3, 2),
        (2, 1, 2),
        (1, 1, 0),
        (1, 1, 1),
    ),
    # A kernel that covers the image; more weights than pixels.
    ("SpatialConvolution(20, 30, 4, 5)", (6, 20, 5, 4), (5, 4), (1, 1), (0, 0), (1, 1)),
    ("SpatialConvolution(20, 100, 3, 3, 2, 2, 1, 1)", (6, 20, 8, 8), (3, 3), (2, 2), (1, 1), (1, 1)),
]
GROUPED = [
    ("SpatialDepthWiseConvolution(12, 1, 3, 3, 2, 2, 1, 1)", (3, 12, 28, 28), (3, 3), (2, 2), (1, 1), (1, 1)),
    ("SpatialDepthWiseConvolution(6, 3, 3, 3, 1, 1, 1, 1)", (2, 6, 17, 40), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("SpatialDepthWiseConvolution(5, 2, 5, 4, 3, 2, 2, 1)", (4, 5, 27, 29), (4, 5), (2, 3), (1, 2), (1, 1)),
]
TRANSPOSED = [
    ("SpatialFullConvolution(64, 32, 4, 4, 2, 2, 1, 1)", (3, 64, 8, 8), (4, 4), (2, 2), (1, 1)),
    ("SpatialFullConvolution(6, 5, 3, 3, 2, 2, 1, 1, 1, 1)", (2, 6, 7, 9), (3, 3), (2, 2), (1, 1)),
    ("SpatialFullConvolution(6, 1, 5, 4, 3, 2, 2, 1)", (2, 6, 7, 9), (4, 5), (2, 3), (1, 2)),
    ("SpatialFullConvolution(6, 4, 2, 2, 3, 3)", (2, 6, 7, 9), (2, 2), (3, 3), (0, 0)),
    ("SpatialFullConvolution(20, 30, 4, 4)", (6, 20, 1, 1), (4, 4), (1, 1), (0, 0)),
    (
        "VolumetricFullConvolution(3, 5, 3, 2, 3, 2, 2, 1, 1, 0, 1)",
        (2, 3, 4, 5, 6),
        (3, 3, 2),
        (2, 1, 2),
        (1, 1, 0),
    ),
]
TOLERANCES = {"Double": 1e-13, "Float": 3e-6}


@pytest.fixture(scope="module")
def lua() -> Iterator[Runtime]:
    with Runtime() as runtime:
        runtime.execute("require 'nn'")
        yield runtime


def ran(lua: Runtime, make: str, size: Sizes, element: str, x: str = "x") -> list[Array]:
    """Weight, bias, input, gradient, output, gradInput, and gradients of weight and bias."""
    lua.execute(
        "torch.manualSeed(4)\n"
        f"m = nn.{make}:type('torch.{element}Tensor')\n"
        f"x = torch.randn({', '.join(map(str, size))}):type('torch.{element}Tensor')\n"
        "m.gradWeight:fill(0.5) m.gradBias:fill(0.25)\n"
        f"y = m:forward({x})\n"
        "g = torch.randn(y:size()):typeAs(y)\n"
        f"m:backward({x}, g, 0.25)"
    )
    names = ("weight", "bias", None, None, "output", "gradInput", "gradWeight", "gradBias")
    given = {2: "x", 3: "g"}
    return [np.array(lua.eval(given.get(i) or f"m.{name}")).astype(float) for i, name in enumerate(names)]


def taps(out: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> list[tuple[Any, ...]]:
    """What each element of a kernel reads of a padded input."""

    def span(i: int, o: int, s: int, d: int) -> slice:
        return slice(i * d, i * d + (o - 1) * s + 1, s)

    return [(..., *map(span, tap, out, stride, dilation)) for tap in itertools.product(*map(range, kernel))]


def gradients(
    x: Array, g: Array, w: Array, places: list[tuple[Any, ...]], pad: Sizes
) -> tuple[Array, Array, Array]:
    """Output, gradient of the input and of weights in which taps come first, by sums over taps."""
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in pad)))
    y, back, sums = np.zeros(g.shape), np.zeros(padded.shape), np.zeros(w.shape)
    for at, place in enumerate(places):
        part = padded[place]
        y += np.einsum("ni...,oi->no...", part, w[at])
        back[place] += np.einsum("no...,oi->ni...", g, w[at])
        sums[at] = np.einsum("nix,nox->oi", flat(part), flat(g))
    inner: tuple[Any, ...] = (..., *(slice(p, n - p) for p, n in zip(pad, padded.shape[2:], strict=True)))
    return y, back[inner], sums


def flat(g: Array) -> Array:
    return g.reshape(*g.shape[:2], -1)


def close(got: Array, wanted: Array, element: str) -> None:
    np.testing.assert_allclose(
        got.reshape(wanted.shape), wanted, rtol=0, atol=TOLERANCES[element] * np.abs(wanted).max()
    )


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize("make, size, kernel, stride, pad, dilation", PLAIN, ids=[row[0] for row in PLAIN])
def test_convolutions_are_sums_over_taps(
    lua: Runtime,
    make: str,
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    pad: Sizes,
    dilation: Sizes,
    element: str,
) -> None:
    w, b, x, g, y, back, sums, biases = ran(lua, make, size, element)
    weights = np.moveaxis(w.reshape(g.shape[1], size[1], -1), 2, 0)
    places = taps(g.shape[2:], kernel, stride, dilation)
    wanted = gradients(x, g, weights, places, pad)
    close(y, wanted[0] + b.reshape(-1, *[1] * len(kernel)), element)
    close(back, wanted[1], element)
    close(sums, 0.5 + 0.25 * np.moveaxis(wanted[2], 0, 2), element)
    close(biases, 0.25 + 0.25 * flat(g).sum((0, 2)), element)


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize(
    "make, size, kernel, stride, pad, dilation", GROUPED, ids=[row[0] for row in GROUPED]
)
def test_planes_with_kernels_of_their_own(
    lua: Runtime,
    make: str,
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    pad: Sizes,
    dilation: Sizes,
    element: str,
) -> None:
    w, b, x, g, y, back, sums, biases = ran(lua, make, size, element)
    planes, outputs = size[1], w.shape[0]
    weights = np.moveaxis(w.reshape(outputs, planes, -1), 2, 0)
    grouped = g.reshape(size[0], planes, outputs, *g.shape[2:])
    places = taps(g.shape[2:], kernel, stride, dilation)
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in pad)))
    output, gradient = np.zeros(grouped.shape), np.zeros(padded.shape)
    products = np.zeros(weights.shape)
    for at, place in enumerate(places):
        part = padded[place]
        output += np.einsum("niyx,oi->nioyx", part, weights[at])
        gradient[place] += np.einsum("nioyx,oi->niyx", grouped, weights[at])
        products[at] = np.einsum("niyx,nioyx->oi", part, grouped)
    inner: tuple[Any, ...] = (..., *(slice(p, n - p) for p, n in zip(pad, padded.shape[2:], strict=True)))
    close(y, output + b.reshape(outputs, planes).T[:, :, None, None], element)
    close(back, gradient[inner], element)
    close(sums, 0.5 + 0.25 * np.moveaxis(products, 0, 2), element)
    close(biases, 0.25 + 0.25 * grouped.sum((0, 3, 4)).T, element)


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize("make, size, kernel, stride, pad", TRANSPOSED, ids=[row[0] for row in TRANSPOSED])
def test_transposed_convolutions_are_sums_over_taps(
    lua: Runtime, make: str, size: Sizes, kernel: Sizes, stride: Sizes, pad: Sizes, element: str
) -> None:
    """Its output is the gradient of a plain one with the taps of the input."""
    w, b, x, g, y, back, sums, biases = ran(lua, make, size, element)
    weights = np.moveaxis(w.reshape(size[1], g.shape[1], -1), 2, 0)
    places = taps(x.shape[2:], kernel, stride, (1,) * len(kernel))
    output, spread, products = gradients(g, x, weights, places, pad)
    close(back, output, element)
    close(y, spread + b.reshape(-1, *[1] * len(kernel)), element)
    close(sums, 0.5 + 0.25 * np.moveaxis(products, 0, 2), element)
    close(biases, 0.25 + 0.25 * flat(g).sum((0, 2)), element)


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize(
    "features, step, first", [(16, 1, False), (19, 2, False), (3, 3, False), (19, 2, True)]
)
def test_row_convolutions(lua: Runtime, features: int, step: int, first: bool, element: str) -> None:
    size = (3, features, 23) if first else (3, 23, features)
    make = f"TemporalRowConvolution({features}, 3, {step}, {str(first).lower()})"
    w, b, x, g, y, back, sums, biases = ran(lua, make, size, element)
    if first:
        x, g, y, back = (t.transpose(0, 2, 1) for t in (x, g, y, back))
    w, frames = w.reshape(features, 3), (23 - 3) // step + 1
    places = [slice(i, i + (frames - 1) * step + 1, step) for i in range(3)]
    close(y, sum(x[:, at] * w[:, i] for i, at in enumerate(places)) + b, element)
    gradient = np.zeros(x.shape)
    for i, at in enumerate(places):
        gradient[:, at] += g * w[:, i]
    close(back, gradient, element)
    close(sums, 0.5 + 0.25 * np.stack([(x[:, at] * g).sum((0, 1)) for at in places], 1), element)
    close(biases, 0.25 + 0.25 * g.sum((0, 1)), element)


def test_inputs_that_are_not_contiguous(lua: Runtime) -> None:
    make = "SpatialConvolution(3, 8, 3, 3, 2, 2, 1, 1)"
    w, b, x, *_ = ran(lua, make, (2, 3, 20, 14), "Float", "x:transpose(3, 4)")
    x, y = x.transpose(0, 1, 3, 2), np.array(lua.eval("m.output")).astype(float)
    places = taps(y.shape[2:], (3, 3), (2, 2), (1, 1))
    weights = np.moveaxis(w.reshape(8, 3, 9), 2, 0)
    close(y, gradients(x, y, weights, places, (1, 1))[0] + b[:, None, None], "Float")


@pytest.mark.parametrize(
    "make", ["SpatialConvolution(3, 20, 5, 5, 2, 2, 1, 1)", "TemporalRowConvolution(12, 3)"]
)
def test_numbers_of_threads_give_the_same_bits(lua: Runtime, make: str) -> None:
    """What earlier calls left in memory is not read, either."""
    lua.execute(
        f"local m = nn.{make}:float()\n"
        f"local x = torch.randn({'5, 3, 70, 66' if 'Spatial' in make else '9, 700, 12'}):float()\n"
        "local before = torch.getnumthreads()\n"
        "same = true\n"
        "local first\n"
        "for threads = 1, 4 do\n"
        "   torch.setnumthreads(threads)\n"
        "   m:forward(x:clone():fill(0 / 0))\n"
        "   m:zeroGradParameters()\n"
        "   local y = m:forward(x):clone()\n"
        "   local all = { y, m:backward(x, y):clone(), m.gradWeight:clone(), m.gradBias:clone() }\n"
        "   first = first or all\n"
        "   for i = 1, 4 do same = same and all[i]:equal(first[i]) end\n"
        "end\n"
        "torch.setnumthreads(before)"
    )
    assert lua.eval("same") is True


@pytest.mark.parametrize("value", ["1 / 0", "0 / 0"])
def test_sums_of_weights_leave_out_what_no_output_reads(lua: Runtime, value: str) -> None:
    """Vectors at the end of a row reach beyond it, where such an element is."""
    lua.execute(
        "local m = nn.SpatialDepthWiseConvolution(1, 1, 2, 1):float()\n"
        "local x = torch.ones(1, 1, 4, 11):float()\n"
        f"x[{{1, 1, {{}}, 1}}] = {value}\n"
        "m:zeroGradParameters()\n"
        "m:accGradParameters(x, m:forward(x):clone():fill(1))\n"
        "second = m.gradWeight:view(-1)[2]"
    )
    assert lua.eval("second") == 40


def test_indices_that_a_program_has_changed(lua: Runtime) -> None:
    """0 is not an index; others beyond a plane are an error."""
    lua.execute(
        "m = nn.SpatialMaxPooling(2, 2)\n"
        "x = torch.range(1, 32):view(2, 4, 4)\n"
        "g = m:forward(x):clone():fill(1)\n"
        "m.indices[1][1][1] = 0\n"
        "total = m:backward(x, g):sum()\n"
        "m.indices[1][1][1] = 17\n"
        "fine = pcall(m.backward, m, x, g)"
    )
    assert lua.eval("total") == 7
    assert lua.eval("fine") is False
