"""Kernels, filters, morphology and pyramids against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from t7shell import LuaError, Runtime

from .conftest import Evaluate, picture


def bell(size: int, sigma: float, mean: float = 0.5) -> np.ndarray:
    at = (np.arange(1, size + 1) - mean * size - 0.5) / (sigma * size)
    return np.exp(-at * at / 2)


def test_gaussians(value: Evaluate) -> None:
    np.testing.assert_allclose(value("image.gaussian()"), np.outer(bell(3, 0.25), bell(3, 0.25)))
    got = value("image.gaussian{width = 4, height = 7, sigma_horz = 0.2, mean_vert = 0.3, amplitude = 3}")
    np.testing.assert_allclose(got, 3 * np.outer(bell(7, 0.25, 0.3), bell(4, 0.2)))
    line = bell(9, 0.1, 0.4)
    np.testing.assert_allclose(value("image.gaussian1D(9, 0.1, 1, true, 0.4)"), line / line.sum())
    assert value("image.gaussian{size = 5, normalize = true}").sum() == pytest.approx(1)


@pytest.mark.parametrize("sizes", ["2, 2", "3, 3", "5, 4", "1, 2"])
def test_a_result_of_mode_same_is_the_full_one(value: Evaluate, sizes: str) -> None:
    """The original's: it returns the part of the size of the image."""
    make = f"local x, k = torch.range(1, 12):view(3, 4), torch.range(1, 20):resize({sizes})"
    got = value(
        f"(function() {make} local r = torch.Tensor() local y = image.convolve(r, x, k, 'same')"
        " return torch.Tensor{(r - image.convolve(x, k, 'full')):norm(),"
        " (y - image.convolve(x, k, 'same')):norm(), y:storage() == r:storage() and 1 or 0} end)()"
    )
    assert got.tolist() == [0, 0, 1]


def test_laplacian_takes_no_tensor(value: Evaluate) -> None:
    """As in the original, which ignores it."""
    got = value("image.laplacian{size = 3, tensor = torch.FloatTensor(2, 2)}")
    np.testing.assert_array_equal(got, value("image.laplacian(3)"))


def test_laplacian(value: Evaluate) -> None:
    y, x = (np.mgrid[:5, :5] - 2) / (0.2 * 5)
    q = (y * y + x * x) / 2
    np.testing.assert_allclose(value("image.laplacian(5, 0.2)"), (1 - q) * np.exp(-q))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (
            "laplacian{size = 3, sigma_horz = 0.2, sigma_vert = 0.4}",
            "-0.1297059496 -0.09697030341 -0.1297059496 0.4612842925 1 0.4612842925 "
            "-0.1297059496 -0.09697030341 -0.1297059496",
        ),
        (
            "laplacian{width = 3, height = 2, sigma_horz = 0.2, sigma_vert = 0.5, mean_horz = 0.4}",
            "0.08688548038 0.08688548038 -0.1324197253 0.5841005873 0.5841005873 -0.07162619922",
        ),
        (
            "laplacian(3, 0.2, 2, true, 2, 3, 0.3, 0.4, 0.6, 0.7)",
            "-0.3535815548 0.2591710626 -0.01503074326 1.742316083 -0.2622451614 -0.3706296866",
        ),
        (
            "laplacian{size = 2.7, sigma = 0.3}", "-0.03364737467 0.2449999579 0.2449999579 0.9331503646",
        ),
        ("gaussian1D(2.5)", "0.486752256 0.9231163464"),
    ],
)  # fmt: skip
def test_kernels_of_the_original(value: Evaluate, call: str, wanted: str) -> None:
    """Each was printed by the original: the horizontal width of its laplacian is that along a column."""
    assert " ".join(f"{number:.10g}" for number in value(f"image.{call}").flat) == wanted


@pytest.mark.parametrize(
    "call",
    ["laplacian(0)", "laplacian{width = 3, height = 0}", "gaussian1D(0)", "gaussian1D(0, 1, 1, true)"],
)
def test_kernels_without_elements(value: Evaluate, call: str) -> None:
    """The original returns tensors without dimensions."""
    assert value(f"image.{call}:dim()") == 0


def test_sizes_that_no_kernel_has(value: Evaluate) -> None:
    for call in ("laplacian(-1)", "laplacian{width = 0, height = 3}", "gaussian1D(-1)", "gaussian(0)"):
        with pytest.raises(LuaError, match=r" must be at least [01] \(got "):
            value(f"image.{call}")


def test_a_line_of_integers(value: Evaluate) -> None:
    """The elements are the original's: those of a bell of height 100.7, truncated."""
    for kind in ("Byte", "Char", "Int", "Long"):
        call = f"image.gaussian1D{{tensor = torch.{kind}Tensor(5), amplitude = 100.7}}"
        assert value(call).tolist() == [27, 73, 100, 73, 27]


@pytest.mark.parametrize("mode", ["valid", "full", "same"])
@pytest.mark.parametrize(
    "kernel", [picture(3, 3), picture(2, 5), np.outer(picture(5), picture(7)), picture(1, 1)]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_convolutions(value: Evaluate, mode: str, kernel: np.ndarray, dtype: type) -> None:
    x, kernel = picture(2, 9, 8).astype(dtype), kernel.astype(dtype)
    wanted = np.stack([scipy.signal.convolve2d(plane, kernel, mode) for plane in x])
    got = value(f"image.convolve(x, k, '{mode}')", x=x, k=kernel)
    np.testing.assert_allclose(got, wanted, atol=1e-5 if dtype is np.float32 else 1e-12)


def test_a_kernel_for_each_plane(value: Evaluate) -> None:
    x, kernels = picture(2, 6, 6), picture(2, 3, 3)
    wanted = [scipy.signal.convolve2d(a, b, "same") for a, b in zip(x, kernels, strict=True)]
    np.testing.assert_allclose(value("image.convolve(x, k, 'same')", x=x, k=kernels), wanted)
    with pytest.raises(LuaError, match="convolve: "):
        value("image.convolve(x, 3)", x=x)


def test_local_contrast(value: Evaluate) -> None:
    x, kernel = picture(9, 9), picture(3, 3)
    kernel /= kernel.sum()
    y = (x - x.mean()) / x.std(ddof=1)
    mean = scipy.signal.convolve2d(y, kernel, "valid")
    deviation = np.sqrt(np.maximum(scipy.signal.convolve2d(y * y, kernel, "valid") - mean**2, 0))
    np.testing.assert_allclose(
        value("image.lcn(x, k)", x=x, k=kernel), (y[1:-1, 1:-1] - mean) / np.maximum(deviation, 1)
    )


@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Int"])
def test_local_contrast_of_all_types(value: Evaluate, kind: str) -> None:
    """The original's results are doubles; these four elements are its."""
    x = f"torch.range(1, 36):sin():mul(100):floor():abs():view(6, 6):type('torch.{kind}Tensor')"
    found = value(f"image.lcn({x}, torch.ones(3, 3))")
    assert found.dtype == np.float64
    wanted = "0.2483029158 -0.06536500612 0.02776861552 0.1252608706"
    assert " ".join(f"{number:.10g}" for number in found[0]) == wanted


def blurred(x: np.ndarray) -> np.ndarray:
    kernel = np.outer(bell(3, 0.25), bell(3, 0.25))
    kernel /= kernel.sum()
    return scipy.signal.convolve(x, kernel.reshape((1,) * (x.ndim - 2) + (3, 3)), "same")


def test_pyramids(value: Evaluate) -> None:
    x = picture(2, 8, 8)
    half = blurred(x)[:, ::2, ::2]
    for i, wanted in enumerate((x, half, blurred(half)[:, ::2, ::2]), 1):
        np.testing.assert_allclose(value(f"image.gaussianpyramid(x, {{1, 0.5, 0.25}})[{i}]", x=x), wanted)


@pytest.mark.parametrize(
    ("height", "width", "scales", "wanted"),
    [
        (
            6,
            6,
            "1, 0.5, 0.5",
            "0.2475800216 0.07579469681 -0.2296187878 0.3154256046 0.1975556612 -0.2556531429",
        ),
        (6, 6, "1, 0.5, 0.5, 1/6", "0.1330536753"),
        (
            4,
            5,
            "0.5, 1.5",
            "0.16846627 0.16846627 0.16846627 0.16846627 0.1478039026 0.1478039026 0.1478039026",
        ),
    ],
)
def test_levels_of_pyramids(value: Evaluate, height: int, width: int, scales: str, wanted: str) -> None:
    """The first elements of the original's last levels, each of which is scaled from the one before it."""
    x = f"torch.range(1, {height * width}):sin():view({height}, {width})"
    levels = f"image.gaussianpyramid({x}, {{{scales}}})"
    found = value(f"{levels}[{scales.count(',') + 1}]").flat[: wanted.count(" ") + 1]
    assert " ".join(f"{number:.10g}" for number in found) == wanted


def test_pyramids_in_given_tensors(value: Evaluate, images: Runtime) -> None:
    """As in the original, levels are written to the tensors of a table, and others are added to it."""
    x = picture(4, 4)
    images.execute("first = torch.Tensor(3) levels = {first}")
    value("image.gaussianpyramid(levels, x, {1, 0.5})", x=x)
    np.testing.assert_array_equal(value("first"), x)
    assert value("rawequal(levels[1], first)") is True
    np.testing.assert_allclose(value("levels[2]"), blurred(x)[::2, ::2])


@pytest.mark.parametrize("pad", [0, 1])
def test_morphology(value: Evaluate, pad: int) -> None:
    x = (picture(9, 11) > 0.3).astype(float)
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], float)
    for kernel in (np.ones((3, 3)), cross, np.ones((1, 5))):
        eroded = scipy.ndimage.binary_erosion(x, kernel, border_value=pad)
        np.testing.assert_array_equal(value(f"image.erode(x, k, {pad})", x=x, k=kernel), eroded)
        dilated = scipy.ndimage.binary_dilation(x, kernel, border_value=pad)
        np.testing.assert_array_equal(value(f"image.dilate(x, k, {pad})", x=x, k=kernel), dilated)
    with pytest.raises(LuaError, match="erode: kernel must have 2 dimensions"):
        value("image.erode(x, torch.ones(2))", x=x)


def rows_of(text: str) -> list[list[int]]:
    return [[int(pixel) for pixel in row.split()] for row in text.split(" / ")]


@pytest.mark.parametrize(
    ("kernel", "pad", "dilated", "eroded"),
    [
        ("{{1, 1, 1}, {1, 0, 0}}", 0, "0 0 0 1 0 / 0 1 1 1 0 / 0 0 0 0 0 / 0 0 0 1 1",
         "0 1 0 1 0 / 0 1 1 0 0 / 0 0 0 0 0 / 0 0 0 0 0"),
        ("{{1, 1, 1}, {1, 0, 0}}", 1, "1 0 0 1 1 / 1 1 1 1 1 / 1 0 0 0 1 / 1 1 1 1 1",
         "1 1 0 1 1 / 1 1 1 0 0 / 0 0 0 0 1 / 0 1 1 1 1"),
        ("{{1, 1}}", 0, "0 0 0 0 0 / 0 1 1 0 0 / 0 0 0 0 0 / 0 0 0 1 1",
         "1 1 0 0 0 / 1 1 1 1 0 / 1 1 1 0 0 / 0 0 1 1 0"),
        ("{{1, 1}, {0, 1}}", 0, "0 1 0 0 0 / 0 1 1 0 0 / 0 0 0 1 0 / 0 0 0 1 1",
         "1 1 1 0 0 / 1 1 1 0 0 / 0 0 1 1 0 / 0 0 0 0 0"),
        ("{{1, 1}, {0, 1}}", 1, "0 1 0 0 1 / 0 1 1 0 1 / 0 0 0 1 1 / 1 1 1 1 1",
         "1 1 1 0 1 / 1 1 1 0 0 / 0 0 1 1 0 / 1 0 1 1 1"),
        ("{{1, 0}, {1, 1}, {1, 1}}", 1, "1 1 1 1 1 / 0 1 1 0 1 / 0 0 1 1 1 / 1 1 1 1 1",
         "1 1 0 0 1 / 1 1 0 0 1 / 0 1 1 0 0 / 0 0 1 0 0"),
        ("{{1, 1, 0}}", 1, "1 0 0 0 0 / 1 0 1 1 0 / 1 0 0 0 0 / 1 0 0 0 1",
         "1 1 0 0 1 / 1 1 1 1 1 / 1 1 1 0 0 / 0 0 1 1 1"),
        ("{{1, 0, 0}, {0, 1, 1}, {0, 0, 0}}", 0, "0 0 0 0 0 / 0 1 1 0 0 / 0 0 0 1 0 / 0 0 0 1 1",
         "0 1 1 0 0 / 0 1 1 0 0 / 0 1 1 1 0 / 0 0 0 0 0"),
        ("{{1, 0, 0}, {0, 1, 1}, {0, 0, 0}}", 1, "1 1 1 1 1 / 1 1 1 0 1 / 1 0 0 1 1 / 1 0 0 1 1",
         "1 1 1 0 0 / 1 1 1 0 1 / 0 1 1 1 0 / 1 0 0 1 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Char", "Int", "Long"])
def test_morphology_by_kernels_without_symmetries(
    value: Evaluate, kernel: str, pad: int, dilated: str, eroded: str, kind: str
) -> None:
    """The original's results; it dilates no integers but bytes. Kernels of even sizes lie off the middle."""
    points = rows_of("0 0 0 0 0 / 0 0 1 0 0 / 0 0 0 0 0 / 0 0 0 0 1")
    holes = rows_of("1 1 1 0 1 / 1 1 1 1 1 / 1 1 1 1 0 / 1 0 1 1 1")
    k = f"torch.Tensor{kernel}:type('torch.{kind}Tensor')"
    for name, x, wanted in (("dilate", points, dilated), ("erode", holes, eroded)):
        found = value(f"image.{name}(x:type('torch.{kind}Tensor'), {k}, {pad})", x=np.array(x, float))
        assert found.tolist() == rows_of(wanted)


def test_sums_of_bytes_wrap_around(value: Evaluate) -> None:
    """As in the original, where two bytes of 128 are 0: a pixel is set if one or three of three are."""
    x = np.array(rows_of("1 1 1 0 1 / 1 1 1 1 1 / 1 1 1 1 0 / 1 0 1 1 1"), np.uint8) * 128
    found = value("image.dilate(x, torch.ByteTensor(1, 3):fill(1))", x=x)
    assert found.tolist() == rows_of("0 1 0 0 1 / 0 1 1 1 0 / 0 1 1 0 1 / 1 0 0 1 0")


def test_integers(value: Evaluate) -> None:
    x, kernel = np.arange(1, 10, dtype=np.int64).reshape(3, 3), np.ones((2, 2), np.int64)
    got = value("image.convolve(x, k, 'same')", x=x, k=kernel)
    assert got.tolist() == scipy.signal.convolve2d(x, kernel, "same").tolist() and got.dtype == np.int64
    assert value("image.dilate(torch.eye(3):long())").tolist() == [[1, 1, 1]] * 3


def test_the_package_checks_itself(value: Evaluate) -> None:
    assert value("image.test()") is True
