"""Images that are large enough for several cores, against NumPy and SciPy, with one core and with two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import scipy

from t7shell import Runtime

from .conftest import Evaluate, picture


@pytest.fixture(params=[1, 2])
def cores(images: Runtime, request: pytest.FixtureRequest) -> Iterator[None]:
    before = images.eval("torch.getnumthreads()")
    images.execute(f"torch.setnumthreads({request.param})")
    yield
    images.execute(f"torch.setnumthreads({before})")


def large(kind: str, *sizes: int) -> np.ndarray:
    x = picture(*sizes)
    return (x * 255).astype(np.uint8) if kind == "uint8" else x.astype(kind)


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("sizes", [(3, 200, 301), (3, 200, 300), (211, 403)])
@pytest.mark.usefixtures("cores")
def test_flips(value: Evaluate, kind: str, sizes: tuple[int, ...]) -> None:
    x = large(kind, *sizes)
    np.testing.assert_array_equal(value("image.hflip(x)", x=x), x[..., ::-1])
    np.testing.assert_array_equal(value("image.vflip(x)", x=x), x[..., ::-1, :])


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("sizes", [(3, 200, 301), (211, 403), (1, 4, 90000)])
@pytest.mark.usefixtures("cores")
def test_windows(value: Evaluate, kind: str, sizes: tuple[int, ...]) -> None:
    x = large(kind, *sizes)
    bottom, right = sizes[-2] - 1, sizes[-1] - 3
    np.testing.assert_array_equal(
        value(f"image.crop(x, 5, 2, {right}, {bottom})", x=x), x[..., 2:bottom, 5:right]
    )


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.usefixtures("cores")
def test_colours(value: Evaluate, kind: str) -> None:
    """Hue, saturation and value by their definition; the way back."""
    x = large(kind, 3, 150, 211)
    hsv = value("image.rgb2hsv(x)", x=x)
    r, g, b = x.astype(float)
    high, low = x.max(0).astype(float), x.min(0).astype(float)
    hue = np.choose(
        x.argmax(0), [(g - b) % (6 * (high - low)), b - r + 2 * (high - low), r - g + 4 * (high - low)]
    )
    precision = {"float64": 1e-12, "float32": 1e-5}[kind]
    np.testing.assert_allclose(hsv, [hue / (high - low) / 6, (high - low) / high, high], atol=precision)
    np.testing.assert_allclose(value("image.hsv2rgb(x)", x=hsv), x, atol=precision)


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.usefixtures("cores")
def test_larger(value: Evaluate, kind: str) -> None:
    """Linear interpolation between the corners, along one dimension after the other."""
    x = large(kind, 3, 100, 141)
    found = value("image.scale(x, 300, 250)", x=x)
    between = np.array(
        [np.interp(np.linspace(0, 140, 300), np.arange(141), row) for row in x.reshape(-1, 141)]
    )
    if kind == "uint8":
        between = np.floor(between + 0.5)
    columns = between.reshape(3, 100, 300).transpose(0, 2, 1).reshape(-1, 100)
    wanted = np.array([np.interp(np.linspace(0, 99, 250), np.arange(100), row) for row in columns])
    wanted = wanted.reshape(3, 300, 250).transpose(0, 2, 1)
    # Positions are computed in the precision of floats.
    np.testing.assert_allclose(found, wanted, atol=1.01 if kind == "uint8" else 1e-4)


def picked(x: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Elements at such places, 0 outside of the image."""
    height, width = x.shape[-2:]
    within = (rows >= 0) & (columns >= 0) & (rows < height) & (columns < width)
    return np.where(within, x[..., rows.clip(0, height - 1), columns.clip(0, width - 1)], 0)


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.usefixtures("cores")
def test_turned(value: Evaluate, kind: str) -> None:
    """The nearest elements to positions in the precision of floats."""
    x, single = large(kind, 3, 200, 301), np.float32
    c, s = (float(single(f(single(0.3)))) for f in (np.cos, np.sin))
    down, right = np.arange(200)[:, None] - 99.5, np.arange(301) - 150.0
    columns = single(single(c * right) - single(s * down)) + single(150)
    rows = single(single(c * down) + single(s * right)) + single(99.5)
    wanted = picked(x, np.floor(rows + 0.5).astype(int), np.floor(columns + 0.5).astype(int))
    np.testing.assert_array_equal(value("image.rotate(x, 0.3)", x=x), wanted)


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.usefixtures("cores")
def test_angles_as_rows(value: Evaluate, kind: str) -> None:
    x = large(kind, 3, 180, 200)
    angles = np.float32(2 * np.pi * np.arange(200) / 200).astype(float)[:, None]
    distances = np.float32(90 * np.arange(200) / 200).astype(float)
    rows, columns = 90 + distances * np.cos(angles), 100 - distances * np.sin(angles)
    wanted = picked(x, np.floor(rows).astype(int), np.floor(columns).astype(int))
    found = value("image.polar(x)", x=x)
    # An element whose distance is whole may lie on either side of the edge between two.
    assert (found != wanted).mean() < 1e-3


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("mode", ["simple", "bilinear", "bicubic"])
@pytest.mark.usefixtures("cores")
def test_a_field_of_whole_positions(value: Evaluate, kind: str, mode: str) -> None:
    x = large(kind, 3, 120, 141)
    rows, columns = (
        np.arange(200 * 211).reshape(200, 211) * step % size for step, size in ((7, 120), (31, 141))
    )
    field = np.stack([rows, columns]).astype(float)
    found = value(f"image.warp(x, field, '{mode}', false)", x=x, field=field)
    np.testing.assert_array_equal(found, x[:, rows, columns])


@pytest.mark.parametrize("call", ["rotate(x, 0.7, 'bilinear')", "logpolar(x, 'bilinear', 'full')"])
def test_as_many_cores_as_there_are(images: Runtime, value: Evaluate, call: str) -> None:
    before, x, found = images.eval("torch.getnumthreads()"), picture(3, 200, 211), []
    for cores in (1, 2):
        images.execute(f"torch.setnumthreads({cores})")
        found.append(value("image." + call, x=x))
    images.execute(f"torch.setnumthreads({before})")
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["valid", "full", "same"])
@pytest.mark.parametrize("sizes", [(3, 130, 251), (90, 2000), (40, 3, 4)])
@pytest.mark.usefixtures("cores")
def test_products_of_a_column_and_a_row(
    value: Evaluate, kind: str, mode: str, sizes: tuple[int, ...]
) -> None:
    x = large(kind, *sizes)
    down, across = (2, 4) if sizes[0] == 40 and mode == "valid" else (3, 6)
    kernel = np.outer(np.arange(1, down + 1), 1.5 ** np.arange(across)).astype(kind)
    found = value(f"image.convolve(x, k, '{mode}')", x=x, k=kernel)
    planes = x.reshape(-1, *x.shape[-2:])
    wanted = np.array([whole(plane, kernel, mode) for plane in planes.astype(float)])
    np.testing.assert_allclose(found, wanted.reshape(found.shape), rtol=1e-5 if kind == "float32" else 1e-12)


def whole(plane: np.ndarray, kernel: np.ndarray, mode: str) -> np.ndarray:
    """SciPy's full convolution, cut. `same` begins where the middle of the kernel is at 0."""
    full = scipy.signal.convolve2d(plane, kernel.astype(float), "full")
    (height, width), (down, across) = plane.shape, kernel.shape
    if mode == "valid":
        return full[down - 1 : height, across - 1 : width]
    if mode == "same":
        top, left = (down + 1) // 2 - 1, (across + 1) // 2 - 1
        return full[top : top + height, left : left + width]
    return full


def test_a_kernel_larger_than_the_image(value: Evaluate) -> None:
    with pytest.raises(Exception, match=r"conv2.*must not be larger than the image"):
        value("image.convolve(torch.rand(3, 3), torch.ones(5, 5), 'valid')")


def test_kernels_that_are_not_contiguous(value: Evaluate) -> None:
    x, kernel = picture(30, 40), np.outer([1.0, 2, 3, 4], [1.0, -1, 2, 5])
    found = value("image.convolve(x:t(), k:t(), 'full')", x=x, k=kernel)
    np.testing.assert_allclose(found, scipy.signal.convolve2d(x.T, kernel.T, "full"))


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
def test_flips_of_every_width(value: Evaluate, kind: str) -> None:
    for width in (1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100):
        x = large(kind, 2, 3, width)
        np.testing.assert_array_equal(value("image.hflip(x)", x=x), x[..., ::-1])
        np.testing.assert_array_equal(value("image.vflip(x)", x=x), x[..., ::-1, :])
        np.testing.assert_array_equal(value("image.flip(x, 1)", x=x), x[::-1])
        columns = x.transpose(2, 0, 1)
        np.testing.assert_array_equal(value("image.hflip(x)", x=columns), columns[..., ::-1])


def test_positions_that_are_no_numbers(value: Evaluate) -> None:
    """They count as 0, and as outside where there is padding."""
    x = large("float64", 4, 5)
    field = np.full((2, 2, 2), np.nan)
    field[:, 0, 0] = 2, 3
    for mode in ("simple", "bilinear", "bicubic", "lanczos"):
        moved = value(f"image.warp(x, field, '{mode}', false)", x=x, field=field)
        np.testing.assert_allclose(moved, [[x[2, 3], x[0, 0]], [x[0, 0], x[0, 0]]], rtol=1e-5)
        padded = value(f"image.warp(x, field, '{mode}', false, 'pad', 7)", x=x, field=field)
        np.testing.assert_allclose(padded, [[x[2, 3], 7], [7, 7]], rtol=1e-5)
