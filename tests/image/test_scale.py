"""image.scale against means, interpolations and index arithmetic of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError

from .conftest import Evaluate, picture


def interpolated(values: np.ndarray, count: int) -> np.ndarray:
    at = np.arange(count) * (len(values) - 1) / (count - 1)
    return np.interp(at, np.arange(len(values)), values)


def test_larger_images_are_interpolated_between_the_corners(value: Evaluate) -> None:
    x = picture(3, 4, 5)
    rows = np.apply_along_axis(interpolated, 2, x, 9)
    wanted = np.apply_along_axis(interpolated, 1, rows, 7)
    np.testing.assert_allclose(value("image.scale(x, 9, 7)", x=x), wanted, atol=1e-6)


def test_smaller_images_are_means(value: Evaluate) -> None:
    x = picture(6, 6)
    halves = x.reshape(3, 2, 3, 2).mean((1, 3))
    np.testing.assert_allclose(value("image.scale(x, 3, 3)", x=x), halves, atol=1e-6)
    # Six columns in four: an element covers one and a half of them.
    parts = np.repeat(x, 2, 1).reshape(6, 4, 3).mean(2)
    np.testing.assert_allclose(value("image.scale(x, 4, 6)", x=x), parts, atol=1e-6)
    np.testing.assert_allclose(value("image.scale(x, 1, 1)", x=x), [[x.mean()]], atol=1e-6)


def test_cubics_go_on_along_the_line_beyond_the_ends(value: Evaluate) -> None:
    v = picture(5)
    padded = np.concatenate([[2 * v[0] - v[1]], v, [2 * v[-1] - v[-2]], [0]])
    wanted = []
    for position in np.arange(9) * 0.5:
        i, t = int(position), position - int(position)
        p = padded[i : i + 4]
        slope_0, slope_1 = (p[2] - p[0]) / 2, (p[3] - p[1]) / 2
        h = np.array([2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t, 3 * t**2 - 2 * t**3, t**3 - t**2])
        wanted.append(h @ [p[1], slope_0, p[2], slope_1])
    got = value("image.scale(x, 9, 2, 'bicubic')", x=np.stack([v, v]))
    np.testing.assert_allclose(got, [wanted, wanted], atol=1e-6)


def test_simple_takes_single_elements(value: Evaluate) -> None:
    x = picture(4, 4)
    wanted = x[np.arange(3) * 4 // 3][:, np.arange(7) * 4 // 7]
    np.testing.assert_array_equal(value("image.scale(x, 7, 3, 'simple')", x=x), wanted)


def test_bytes_are_rounded(value: Evaluate) -> None:
    x = np.array([[0, 1, 3, 255]], np.uint8)
    assert value("image.scale(x, 2, 1)", x=x).tolist() == [[1, 129]]
    assert value("image.scale(x, 7, 1)", x=x).tolist() == [[0, 1, 1, 2, 3, 129, 255]]


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ("4", (2, 4)),
        ("'^4'", (4, 8)),
        ("'6x3'", (3, 6)),
        ("'*1/2'", (2, 4)),
        ("'*1.5'", (6, 12)),
        ("'16'", (8, 16)),
        ("'^1/2'", (1, 2)),
        ("'to 3x2'", (2, 3)),
        ("'0x4'", (2, 4)),
    ],
)
def test_sizes(value: Evaluate, size: str, shape: tuple[int, int]) -> None:
    assert value(f"image.scale(torch.rand(4, 8), {size})").shape == shape


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Byte", "218 103 54 116 187 244 167 94 174 177 72 92 178"),
        (
            "Float",
            "218.5 103.995522 53.9571762 116.488281 187.29628 244.024445 167.875 94.2305984 173.962936"
            " 177.367188 72.2963333 91.7038269 178.5",
        ),
    ],
)
def test_cubics_have_the_digits_of_the_original(value: Evaluate, kind: str, expected: str) -> None:
    """The values were printed by the original."""
    got = value(
        "(function() local x = torch.range(1, 40):view(5, 8) x = x:cmul(x):mod(101):mul(2.5):add(1)"
        f" return image.scale(x:type('torch.{kind}Tensor'), 13, 7, 'bicubic')[4] end)()"
    )
    assert " ".join(f"{x:.9g}" for x in got) == expected


def test_the_last_element_of_cubics_is_copied(value: Evaluate) -> None:
    got = value("image.scale(torch.Tensor{{1, 2, 1/0}}, 5, 1, 'bicubic')")
    assert got[0, -1] == np.inf
    assert np.isnan(got[0, :-1]).all()


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "simple"])
def test_many_fold_reductions_and_views(value: Evaluate, mode: str) -> None:
    x = picture(120, 90)
    turned = value(f"image.scale(x:t(), 2, 3, '{mode}')", x=x)
    np.testing.assert_allclose(turned, value(f"image.scale(x:t():clone(), 2, 3, '{mode}')", x=x))
    if mode == "bilinear":
        np.testing.assert_allclose(turned, x.T.reshape(3, 30, 2, 60).mean((1, 3)), atol=1e-6)


def test_results(value: Evaluate) -> None:
    x = picture(2, 4, 4)
    got = value(
        "(function() local r = torch.zeros(2, 6, 6):narrow(3, 2, 3) image.scale(r, x) return r end)()", x=x
    )
    np.testing.assert_array_equal(got, value("image.scale(x, 3, 6)", x=x))


@pytest.mark.parametrize(
    ("size", "shape"),
    [("0, 2", (2, 1)), ("0.4, 2.9", (2, 1)), ("-3, 1", (1, 1)), ("'*0.1'", (1, 1)), ("'*1/3'", (1, 1))],
)
def test_one_pixel_is_left(value: Evaluate, size: str, shape: tuple[int, int]) -> None:
    """The original's sizes and element."""
    got = value(f"image.scale(torch.range(1, 12):view(3, 4), {size}, 'simple')")
    assert got.shape == shape
    assert got[0, 0] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "image.scale(torch.IntTensor(2, 2), 1, 1)",
            "type Double, Float or Byte (got IntTensor [2x2])",
        ),
        ("image.scale(torch.ones(2, 2), 2, 1 / 0)", "height must be a whole number (got inf)"),
        ("image.scale(torch.ones(2, 2), 'big')", "size must be N, ^N, WxH"),
        ("image.scale(torch.ones(2, 2), 1, 1, 'best')", "mode must be one of"),
        (
            "image.scale(torch.ones(2, 3, 3), torch.ones(3, 4, 4))",
            "planes of the image (got [2x3x3] for [3x4x4])",
        ),
        ("image.scale(3)", "argument 1 must be an image (got 3)"),
    ],
)
def test_errors(value: Evaluate, call: str, message: str) -> None:
    with pytest.raises(LuaError, match="scale: ") as raised:
        value(call)
    assert message in str(raised.value)


def test_bytes_are_interpolated_in_floats(value: Evaluate) -> None:
    x = np.random.default_rng(0).integers(0, 256, (4000, 3), dtype=np.uint8)
    position = np.arange(12, dtype=np.float32) * (np.float32(2) / np.float32(12))
    first = position.astype(int)
    part = position - first.astype(np.float32)

    def interpolated(kind: type) -> np.ndarray:
        left, right = (x[:, first + side].astype(kind) for side in (0, 1))
        return ((1 - part).astype(kind) * left + part.astype(kind) * right + kind(0.5)).astype(np.uint8)

    wanted = interpolated(np.float32)
    assert (wanted != interpolated(np.float64)).any()
    np.testing.assert_array_equal(value("image.scale(x, 13, 4000)", x=x)[:, :-1], wanted)


@pytest.mark.parametrize("layout", ["x:transpose(2, 3)", "x:narrow(3, 2, 5)", "x[2]:t()", "x:select(3, 4)"])
def test_nearest_elements_of_any_layout(value: Evaluate, layout: str) -> None:
    x = picture(3, 7, 9)
    found = value(f"image.scale({layout}, 4, 6, 'simple')", x=x)
    np.testing.assert_array_equal(found, value(f"image.scale({layout}:clone(), 4, 6, 'simple')", x=x))
