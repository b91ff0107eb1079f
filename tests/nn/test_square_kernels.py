"""Convolutions of many planes with square kernels, against plain sums of NumPy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

# The layer, the size of its input, and its padding.
LAYERS = [
    ("SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1)", (2, 32, 16, 16), (1, 1)),
    ("SpatialConvolution(40, 33, 3, 3, 1, 1, 0, 2)", (3, 40, 17, 21), (2, 0)),
    ("SpatialConvolution(32, 32, 3, 3, 1, 1, 2, 0)", (1, 32, 25, 30), (0, 2)),
    ("SpatialConvolution(33, 64, 3, 3, 1, 1, 1, 1)", (8, 33, 7, 7), (1, 1)),
    ("SpatialConvolution(32, 32, 3, 3)", (33, 32, 6, 6), (0, 0)),
    ("SpatialConvolution(96, 97, 3, 3, 1, 1, 1, 1)", (5, 96, 11, 14), (1, 1)),
    ("SpatialConvolutionMM(32, 34, 3, 3, 1, 1, 1)", (2, 32, 18, 19), (1, 1)),
    ("SpatialConvolution(64, 64, 3, 3, 1, 1, 1, 1):noBias()", (1, 64, 90, 6), (1, 1)),
    ("SpatialConvolution(17, 16, 3, 3, 1, 1, 1, 1)", (4, 17, 24, 22), (1, 1)),
    ("SpatialConvolution(40, 48, 4, 4, 1, 1, 1, 2)", (4, 40, 19, 17), (2, 1)),
    ("SpatialConvolution(64, 65, 4, 4)", (6, 64, 15, 16), (0, 0)),
    ("SpatialConvolution(48, 64, 5, 5, 1, 1, 2, 2)", (5, 48, 17, 15), (2, 2)),
    ("SpatialConvolution(64, 96, 5, 5)", (9, 64, 13, 12), (0, 0)),
    ("SpatialConvolution(64, 64, 5, 5, 1, 1, 4, 3)", (4, 64, 14, 11), (3, 4)),
]
FULL_LAYERS = [
    ("SpatialFullConvolution(32, 35, 3, 3, 1, 1, 1, 1)", (2, 32, 16, 18), (1, 1)),
    ("SpatialFullConvolution(96, 98, 3, 3)", (3, 96, 15, 14), (0, 0)),
    ("SpatialFullConvolution(64, 66, 4, 4, 1, 1, 1, 2)", (4, 64, 14, 16), (2, 1)),
    ("SpatialFullConvolution(64, 66, 5, 5, 1, 1, 2, 2)", (4, 64, 14, 16), (2, 2)),
]
# Layers whose kernels have gaps, which the last number tells.
DILATED = [
    ("SpatialDilatedConvolution(128, 130, 3, 3, 1, 1, 2, 2, 2, 2)", (3, 128, 16, 23), (2, 2), 2),
    ("SpatialDilatedConvolution(130, 128, 3, 3, 1, 1, 3, 0, 3, 3)", (2, 130, 29, 35), (0, 3), 3),
    pytest.param(
        *("SpatialDilatedConvolution(160, 160, 5, 5, 1, 1, 8, 4, 2, 2)", (4, 160, 27, 17), (4, 8), 2),
        marks=pytest.mark.slow,
    ),
    ("SpatialDilatedConvolution(128, 129, 3, 3, 1, 1, 4, 4, 4, 4)", (2, 128, 15, 31), (4, 4), 4),
]
# Layers of volumes, the sizes of their inputs, and paddings.
VOLUMES = [
    ("VolumetricConvolution(16, 20, 3, 3, 3, 1, 1, 1, 1, 1, 1)", (2, 16, 5, 14, 12), (1, 1, 1)),
    ("VolumetricConvolution(17, 16, 2, 3, 3)", (3, 17, 4, 13, 15), (0, 0, 0)),
    ("VolumetricConvolution(16, 16, 5, 3, 3, 1, 1, 1, 4, 2, 0)", (2, 16, 3, 17, 13), (4, 0, 2)),
    pytest.param(
        *("VolumetricConvolution(48, 64, 3, 3, 3, 1, 1, 1, 1, 1, 1)", (2, 48, 6, 56, 52), (1, 1, 1)),
        marks=pytest.mark.slow,
    ),
    ("VolumetricConvolution(16, 24, 1, 3, 3, 1, 1, 1, 0, 1, 1)", (2, 16, 4, 12, 14), (0, 1, 1)),
    ("VolumetricConvolution(20, 17, 3, 3, 3, 1, 1, 1, 1, 1, 1)", (20, 1, 30, 30), (1, 1, 1)),
]
FULL_VOLUMES = [
    ("VolumetricFullConvolution(16, 18, 3, 3, 3, 1, 1, 1, 1, 1, 1)", (2, 16, 5, 12, 13), (1, 1, 1)),
    ("VolumetricFullConvolution(24, 20, 2, 4, 4)", (2, 24, 4, 13, 14), (0, 0, 0)),
]
# A part of the largest result by which others may be off.
TOLERANCES = {"Double": 1e-13, "Float": 5e-6}


def windows(x: np.ndarray, pad: tuple[int, ...], kernel: tuple[int, ...]) -> np.ndarray:
    """Images, planes, the places of outputs, those of the kernel."""
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in pad)))
    axes = tuple(range(2, x.ndim))
    return np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=axes)


def results(w: np.ndarray, x: np.ndarray, g: np.ndarray | None, pad: tuple[int, ...]) -> list[np.ndarray]:
    """The output without bias; with a gradient also that of the input, and that of the weight."""
    kernel = w.shape[2:]
    if len(kernel) == 2:
        at, taps = "yx", "ij"
    else:
        at, taps = "tyx", "kij"
    y = np.einsum(f"nc{at}{taps},oc{taps}->no{at}", windows(x, pad, kernel), w, optimize=True)
    if g is None:
        return [y]
    back = windows(g, tuple(k - 1 - p for k, p in zip(kernel, pad, strict=True)), kernel)
    turned = np.flip(w, tuple(range(2, w.ndim)))
    return [
        y,
        np.einsum(f"no{at}{taps},oc{taps}->nc{at}", back, turned, optimize=True),
        np.einsum(f"nc{at}{taps},no{at}->oc{taps}", windows(x, pad, kernel), g, optimize=True),
    ]


def close(got: np.ndarray, wanted: np.ndarray, type_name: str) -> None:
    got = np.array(got).reshape(wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=TOLERANCES[type_name] * np.abs(wanted).max())


def ran(
    runtime: Runtime, layer: str, size: tuple[int, ...], type_name: str, x: str = "x"
) -> list[np.ndarray]:
    """Weight, bias, input, gradient, and the four results of a layer, in double precision."""
    runtime.execute(
        "torch.manualSeed(4)\n"
        f"m = nn.{layer}:type('torch.{type_name}Tensor')\n"
        f"x = torch.randn({text(size)}):type('torch.{type_name}Tensor')\n"
        "m.gradWeight:fill(0.5)\n"
        f"y = m:forward({x})\n"
        "g = torch.randn(y:size()):typeAs(y)\n"
        f"m:updateGradInput({x}, g)\n"
        f"m:accGradParameters({x}, g, 0.25)\n"
        "bias = m.bias or torch.zeros(m.nOutputPlane)"
    )
    names = ("m.weight", "bias", "x", "g", "m.output", "m.gradInput", "m.gradWeight")
    return [np.array(runtime.eval(name)).astype(float) for name in names]


def text(size: tuple[int, ...]) -> str:
    return ", ".join(map(str, size))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("type_name", ["Double", "Float"])
@pytest.mark.parametrize("layer, size, pad", LAYERS, ids=[layer for layer, _, _ in LAYERS])
def test_results_are_plain_sums(
    runtime: Runtime, layer: str, size: tuple[int, ...], pad: tuple[int, int], type_name: str
) -> None:
    w, b, x, g, y, back, d = ran(runtime, layer, size, type_name)
    if w.ndim == 2:
        w = w.reshape(w.shape[0], -1, 3, 3)
    output, gradient, sums = results(w, x, g, pad)
    sums = sums.reshape(d.shape)
    close(y, output + b[:, None, None], type_name)
    close(back, gradient, type_name)
    close(d, 0.5 + 0.25 * sums, type_name)


@pytest.mark.parametrize("type_name", ["Double", "Float"])
@pytest.mark.parametrize("layer, size, pad", FULL_LAYERS, ids=[layer for layer, _, _ in FULL_LAYERS])
def test_transposed_results_are_plain_sums(
    runtime: Runtime, layer: str, size: tuple[int, ...], pad: tuple[int, int], type_name: str
) -> None:
    """The input of a transposed convolution is the gradient of a plain one, and the other way round."""
    w, b, x, g, y, back, d = ran(runtime, layer, size, type_name)
    gradient, output, sums = results(w, g, x, pad)
    close(y, output + b[:, None, None], type_name)
    close(back, gradient, type_name)
    close(d, 0.5 + 0.25 * sums, type_name)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("type_name", ["Double", "Float"])
@pytest.mark.parametrize("layer, size, pad, gap", DILATED)
def test_results_of_kernels_with_gaps_are_plain_sums(
    runtime: Runtime, layer: str, size: tuple[int, ...], pad: tuple[int, ...], gap: int, type_name: str
) -> None:
    """Such a kernel is a larger one with zeros."""
    w, b, x, g, y, back, d = ran(runtime, layer, size, type_name)
    wide = np.zeros((*w.shape[:2], *(gap * (n - 1) + 1 for n in w.shape[2:])))
    wide[..., ::gap, ::gap] = w
    output, gradient, sums = results(wide, x, g, pad)
    close(y, output + b[:, None, None], type_name)
    close(back, gradient, type_name)
    close(d, 0.5 + 0.25 * sums[..., ::gap, ::gap], type_name)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("type_name", ["Double", "Float"])
@pytest.mark.parametrize("layer, size, pad", VOLUMES + FULL_VOLUMES)
def test_results_of_volumes_are_plain_sums(
    runtime: Runtime, layer: str, size: tuple[int, ...], pad: tuple[int, ...], type_name: str
) -> None:
    w, b, x, g, y, back, d = ran(runtime, layer, size, type_name)
    x, g = x.reshape(-1, *x.shape[-4:]), g.reshape(-1, *g.shape[-4:])
    if "Full" in layer:
        gradient, output, sums = results(w, g, x, pad)
    else:
        output, gradient, sums = results(w, x, g, pad)
    close(y, output + b[:, None, None, None], type_name)
    close(back, gradient, type_name)
    close(d, 0.5 + 0.25 * sums, type_name)


def test_one_image_and_an_input_that_is_not_contiguous(runtime: Runtime) -> None:
    layer = "SpatialConvolution(32, 36, 3, 3, 1, 1, 1, 1)"
    w, b, x, *_ = ran(runtime, layer, (32, 24, 28), "Double", "x:transpose(2, 3)")
    y = np.array(runtime.eval("m.output"))
    (output,) = results(w, x.transpose(0, 2, 1)[None], None, (1, 1))
    assert y.shape == (36, 28, 24)
    close(y, output + b[:, None, None], "Double")


def test_calls_of_changing_sizes_leave_nothing_behind(runtime: Runtime) -> None:
    """Memory is used again: what a larger call left there must not be read."""
    runtime.execute(
        "m = nn.SpatialConvolution(32, 32, 3, 3, 1, 1, 1, 1)\n"
        "x = torch.randn(2, 32, 17, 18)\n"
        "before, nan = m:forward(x):clone(), torch.Tensor(3, 32, 30, 31):fill(0 / 0)\n"
        "local gradient = m:updateGradInput(x, before):clone()\n"
        "m:zeroGradParameters() m:accGradParameters(x, before)\n"
        "local sums = m.gradWeight:clone()\n"
        "m:forward(nan) m:backward(nan, nan)\n"
        "m:zeroGradParameters()\n"
        "same = m:forward(x):equal(before) and m:updateGradInput(x, before):equal(gradient)\n"
        "m:accGradParameters(x, before)\n"
        "same = same and m.gradWeight:equal(sums)"
    )
    assert runtime.eval("same") is True
