"""An output of a convolution depends on what its window holds, and on nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, np.dtype[np.float64]]
Sizes = tuple[int, ...]

# Layers from images to maps: the constructor, the size of the input, kernel, stride, padding and dilation.
# Many results per pixel and few; some sizes once had tiles of several outputs that were transformed together.
LAYERS: list[tuple[str, Sizes, Sizes, Sizes, Sizes, Sizes]] = [
    ("SpatialConvolution(16, 16, 3, 3, 1, 1, 1, 1)", (2, 16, 12, 12), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("SpatialConvolution(32, 40, 5, 5, 1, 1, 2, 2)", (1, 32, 14, 15), (5, 5), (1, 1), (2, 2), (1, 1)),
    ("SpatialConvolution(17, 33, 4, 4)", (2, 17, 11, 13), (4, 4), (1, 1), (0, 0), (1, 1)),
    ("SpatialConvolution(3, 20, 7, 7, 2, 2, 3, 3)", (2, 3, 21, 22), (7, 7), (2, 2), (3, 3), (1, 1)),
    ("SpatialConvolution(20, 3, 3, 3, 1, 1, 1, 1)", (2, 20, 9, 19), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("SpatialConvolution(5, 1, 3, 3, 2, 3, 1, 0)", (2, 5, 18, 19), (3, 3), (3, 2), (0, 1), (1, 1)),
    ("SpatialConvolution(2, 5, 5, 4, 4, 3, 3, 2)", (2, 2, 17, 19), (4, 5), (3, 4), (2, 3), (1, 1)),
    ("SpatialConvolution(2, 3, 3, 2, 3, 2, 2, 0)", (1, 2, 9, 47), (2, 3), (2, 3), (0, 2), (1, 1)),
    ("SpatialConvolution(2, 1, 4, 1, 5, 1, 3, 0)", (1, 2, 6, 38), (1, 4), (1, 5), (0, 3), (1, 1)),
    ("SpatialConvolution(24, 24, 1, 1, 2, 2)", (2, 24, 9, 9), (1, 1), (2, 2), (0, 0), (1, 1)),
    (
        "SpatialDilatedConvolution(9, 18, 3, 3, 1, 1, 2, 2, 2, 2)",
        (1, 9, 14, 14),
        (3, 3),
        (1, 1),
        (2, 2),
        (2, 2),
    ),
    (
        "VolumetricConvolution(4, 9, 3, 3, 3, 1, 1, 1, 1, 1, 1)",
        (1, 4, 5, 7, 8),
        (3, 3, 3),
        (1, 1, 1),
        (1, 1, 1),
        (1, 1, 1),
    ),
    ("SpatialDepthWiseConvolution(6, 1, 3, 3, 2, 2, 1, 1)", (2, 6, 13, 12), (3, 3), (2, 2), (1, 1), (1, 1)),
    ("SpatialDepthWiseConvolution(4, 9, 3, 3, 1, 1, 1, 1)", (1, 4, 9, 12), (3, 3), (1, 1), (1, 1), (1, 1)),
]
# Those from maps to images, by the same sizes.
BACK: list[tuple[str, Sizes, Sizes, Sizes, Sizes, Sizes]] = [
    ("SpatialFullConvolution(20, 20, 3, 3, 1, 1, 1, 1)", (1, 20, 10, 11), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("SpatialFullConvolution(12, 10, 4, 4, 2, 2, 1, 1)", (2, 12, 7, 6), (4, 4), (2, 2), (1, 1), (1, 1)),
    # Strides beyond the kernel: pixels that no window holds.
    ("SpatialFullConvolution(3, 2, 2, 2, 4, 3)", (2, 3, 5, 6), (2, 2), (3, 4), (0, 0), (1, 1)),
    ("SpatialFullConvolution(12, 2, 5, 5, 3, 2, 2, 1)", (2, 12, 7, 6), (5, 5), (2, 3), (1, 2), (1, 1)),
]
VALUES = ["0 / 0", "1 / 0", "1e20", "1e8"]


@pytest.fixture(scope="module")
def lua() -> Iterator[Runtime]:
    with Runtime() as runtime:
        runtime.execute("require 'nn'")
        yield runtime


def reached(out: Sizes, place: Sizes, kernel: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes) -> Any:
    """Which outputs have a place of the image in their window."""
    sizes = zip(out, place, kernel, stride, pad, dilation, strict=True)
    axes = [
        np.array([any(o * s - p + i * g == at for i in range(k)) for o in range(n)])
        for n, at, k, s, p, g in sizes
    ]
    return reduce(np.logical_and.outer, axes)


def results(
    lua: Runtime, make: str, size: Sizes, place: Sizes, value: str, element: str, method: str
) -> list[Array]:
    """What a layer computes without and with a value at a place of plane 2 of the first image of x or g."""
    at = ", ".join(str(i + 1) for i in (0, 1, *place))
    zero = "m:updateOutput(x)" if method == "updateOutput" else "m:updateGradInput(x, g)"
    of = "x" if method == "updateOutput" else "g"
    lua.execute(
        "torch.manualSeed(3)\n"
        f"local m = nn.{make}:type('torch.{element}Tensor')\n"
        f"local x = torch.randn({', '.join(map(str, size))}):type('torch.{element}Tensor')\n"
        "local g = m:forward(x):clone():normal()\n"
        f"{of}[{{{at}}}] = 0\n"
        f"before = {zero}:clone()\n"
        f"{of}[{{{at}}}] = {value}\n"
        f"after = {zero}:clone()"
    )
    return [np.array(lua.eval(name)) for name in ("before", "after")]


def check(before: Array, after: Array, mask: Any, value: str) -> None:
    """Elements off the mask, in all planes of the first image, and other images keep their bits."""
    assert (before[1:] == after[1:]).all()
    changed = before[0] != after[0]
    assert not changed[:, ~mask].any()
    if value == "0 / 0":
        assert np.isnan(after[0]).any(axis=0)[mask].all()


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("make, size, kernel, stride, pad, dilation", LAYERS, ids=[row[0] for row in LAYERS])
def test_a_value_changes_the_outputs_whose_windows_hold_it(
    lua: Runtime,
    make: str,
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    pad: Sizes,
    dilation: Sizes,
    value: str,
    element: str,
) -> None:
    place = tuple(n // 2 for n in size[2:])
    before, after = results(lua, make, size, place, value, element, "updateOutput")
    check(before, after, reached(before.shape[2:], place, kernel, stride, pad, dilation), value)


@pytest.mark.parametrize("element", ["Float", "Double"])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("make, size, kernel, stride, pad, dilation", BACK, ids=[row[0] for row in BACK])
def test_a_value_of_gradOutput_changes_what_its_window_held(
    lua: Runtime,
    make: str,
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    pad: Sizes,
    dilation: Sizes,
    value: str,
    element: str,
) -> None:
    """The gradient of a transposed convolution's input is a convolution of its gradOutput."""
    lua.execute(f"sizes = nn.{make}:forward(torch.zeros({', '.join(map(str, size))})):size():totable()")
    image = tuple(int(n) for n in np.array(lua.eval("torch.Tensor(sizes)")))[2:]
    place = tuple(n // 2 for n in image)
    before, after = results(lua, make, size, place, value, element, "updateGradInput")
    check(before, after, reached(before.shape[2:], place, kernel, stride, pad, dilation), value)


def test_a_single_nan_reaches_nine_outputs_of_each_plane(lua: Runtime) -> None:
    lua.execute(
        "local m = nn.SpatialConvolution(16, 16, 3, 3, 1, 1, 1, 1):float()\n"
        "local x = torch.zeros(1, 16, 12, 12):float()\n"
        "x[1][1][6][6] = 0 / 0\n"
        "local y = m:forward(x)\n"
        "count = y:ne(y):sum()"
    )
    assert lua.eval("count") == 144


def test_sums_for_weights_read_what_their_taps_hold(lua: Runtime) -> None:
    """A NaN in the corner of the image is read by one tap of a kernel without padding."""
    for planes in (2, 16):
        lua.execute(
            f"local m = nn.SpatialConvolution(2, {planes}, 3, 3)\n"
            "local x = torch.ones(1, 2, 9, 9)\n"
            "x[1][2][1][1] = 0 / 0\n"
            "m:zeroGradParameters()\n"
            "m:accGradParameters(x, m:forward(x):clone():fill(1))\n"
            "sums = m.gradWeight"
        )
        sums = np.array(lua.eval("sums"))
        wanted = np.full((planes, 2, 3, 3), 49.0)
        wanted[:, 1, 0, 0] = np.nan
        np.testing.assert_array_equal(sums, wanted)
