"""Colour spaces against colorsys and the CIE's definitions; maps of colours."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest

from t7shell import LuaError

from .conftest import Evaluate, picture


def pixelwise(x: np.ndarray, f: object) -> np.ndarray:
    return np.apply_along_axis(lambda rgb: f(*rgb), 0, x)  # type: ignore[operator]


def colours() -> np.ndarray:
    corners = np.array([[r, g, b] for r in (0, 0.5, 1) for g in (0, 0.5, 1) for b in (0, 0.5, 1)]).T.reshape(
        3, 3, 9
    )
    return np.concatenate([corners, picture(3, 4, 9)], 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hue(value: Evaluate, dtype: type) -> None:
    x = colours().astype(dtype)
    np.testing.assert_allclose(value("image.rgb2hsv(x)", x=x), pixelwise(x, colorsys.rgb_to_hsv), atol=1e-6)
    lightness = pixelwise(x, lambda *rgb: np.array(colorsys.rgb_to_hls(*rgb))[[0, 2, 1]])
    np.testing.assert_allclose(value("image.rgb2hsl(x)", x=x), lightness, atol=1e-6)
    np.testing.assert_allclose(value("image.hsv2rgb(x)", x=x), pixelwise(x, colorsys.hsv_to_rgb), atol=1e-6)
    back = pixelwise(x, lambda h, s, level: colorsys.hls_to_rgb(h, level, s))
    np.testing.assert_allclose(value("image.hsl2rgb(x)", x=x), back, atol=1e-6)


def test_hues_below_0_are_black_except_in_the_first_sector(value: Evaluate) -> None:
    # Results of the original, whose remainder of a negative sector is negative.
    hues = np.array([-0.2, -1.3, -1, -0.95, 1.4, 1e12, -1e12, np.nan])
    x = np.stack([hues, np.full(8, 0.5), np.full(8, 0.7)])[:, None]
    black = [0, 0, 0]
    expected = [black, black, [0.7, 0.35, 0.35], [0.7, 0.455, 0.35], [0.35, 0.7, 0.49], black, black, black]
    np.testing.assert_allclose(value("image.hsv2rgb(x)", x=x)[:, 0], np.transpose(expected), atol=1e-12)


@pytest.mark.parametrize("there", ["rgb2hsv", "rgb2hsl", "rgb2yuv", "rgb2lab"])
def test_there_and_back(value: Evaluate, there: str) -> None:
    back = there[4:] + "2rgb"
    tolerance = 5e-5 if there in ("rgb2yuv", "rgb2lab") else 1e-6
    np.testing.assert_allclose(
        value(f"image.{back}(image.{there}(x))", x=colours()), colours(), atol=tolerance
    )


def test_lab_of_known_colours(value: Evaluate) -> None:
    x = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0], [0.5, 0.5, 0.5]]).T.reshape(3, 1, 4)
    wanted = [[100, 0, 53.24, 53.39], [0, 0, 80.09, 0], [0, 0, 67.20, 0]]
    np.testing.assert_allclose(value("image.rgb2lab(x)", x=x)[:, 0], wanted, atol=0.01)


def test_grey(value: Evaluate) -> None:
    x = picture(3, 2, 2)
    np.testing.assert_allclose(value("image.rgb2y(x)", x=x)[0], np.tensordot([0.299, 0.587, 0.114], x, 1))
    red = np.zeros((3, 1, 1), np.uint8)
    red[0] = 201
    assert value("image.rgb2y(x)", x=red).tolist() == [[[60]]]
    # The original leaves out opacity.
    assert value("image.rgb2y(torch.range(1, 8):view(4, 1, 2))")[0, 0, 1] == pytest.approx(3.63)
    np.testing.assert_allclose(value("image.rgb2nrgb(x)", x=x), x / x.sum(0), rtol=1e-5)
    assert value("image.rgb2nrgb(torch.zeros(3, 1, 1))").sum() == 0


def test_bytes_are_fractions_of_255(value: Evaluate) -> None:
    x = (colours() * 255).astype(np.uint8)
    wanted = np.floor(pixelwise(x / 255, colorsys.rgb_to_hsv) * 255 + 0.5)
    np.testing.assert_allclose(value("image.rgb2hsv(x)", x=x), wanted, atol=1)


def test_into_results(value: Evaluate) -> None:
    x = picture(3, 2, 4)
    got = value("(function() local y = x:clone() image.rgb2hsv(y, y) return y end)()", x=x)
    np.testing.assert_array_equal(got, value("image.rgb2hsv(x)", x=x))
    turned = x.transpose(0, 2, 1)
    np.testing.assert_array_equal(
        value("image.rgb2hsv(x:transpose(2, 3))", x=x), value("image.rgb2hsv(x)", x=turned.copy())
    )
    for wrong in ("torch.ones(2, 2)", "torch.ones(4, 2, 2)", "torch.LongTensor(3, 2, 2)"):
        with pytest.raises(LuaError, match=r"rgb2hsv: image must .* \(got"):
            value(f"image.rgb2hsv({wrong})")


def test_maps(value: Evaluate) -> None:
    x = np.arange(1, 9) / 8
    jet = np.stack([np.clip(1.5 - np.abs(4 * x - middle), 0, 1) for middle in (3, 2, 1)], 1)
    np.testing.assert_allclose(value("image.jetColormap(8)"), jet)
    np.testing.assert_allclose(
        value("image.y2jet(x)", x=np.array([[1.0, 8], [3, 5]])), jet[[0, 7, 2, 4]].T.reshape(3, 2, 2)
    )
    hues = [colorsys.hls_to_rgb(i * 39 % 360 / 360, 0.5, i / 9 % 0.7 + 0.3) for i in range(40)]
    np.testing.assert_allclose(value("image.colormap(40)"), hues, atol=1e-9)
    # Printed by the original, whose sums of ninths stay below 7.
    np.testing.assert_allclose(value("image.colormap(64)")[63], [0.95, 0, 1], atol=1e-9)
    with pytest.raises(LuaError, match="levels must be 1 or more"):
        value("image.y2jet(torch.zeros(2, 2))")


def test_last_digits_of_jet(value: Evaluate) -> None:
    """The original's numbers; bytes are rounded from them."""
    assert value("image.jetColormap(6)[1][2]") == 0.16666666666666663
    sums = [
        value(f"image.y2jet(torch.range(1, {n}):byte():view(1, {n})):double():sum()")
        for n in (20, 40, 51, 60)
    ]
    assert sums == [7323, 14667, 18704, 21999]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("y2jet(torch.Tensor{1, 2, 3.5})",
         "0 0.785714286 1 0.642857143 1 0.0714285714 1 0.214285714 0"),
        ("y2jet(torch.FloatTensor{{0.25, 1.5}, {2.75, 0.5}})",
         "0 0 1 0 0.954545438 0.954545438 0.590909064 0.954545438 1 1 0 1"),
        ("jetColormap(2.5)", "0.1 1 0.9 1 0.3 0"),
    ],
)  # fmt: skip
def test_levels_with_fractions(value: Evaluate, call: str, wanted: str) -> None:
    """Each was printed by the original: the highest level is the number of colours, with its fraction."""
    assert " ".join(f"{number:.9g}" for number in value(f"image.{call}").flat) == wanted


def bytes_of_all_kinds() -> np.ndarray:
    draw = np.random.default_rng(1)
    corners = np.array([[72, 192, 252], [0, 0, 0], [255, 255, 255], [255, 0, 0], [10, 10, 11]], np.uint8)
    return np.concatenate([corners, draw.integers(0, 256, (4091, 3), dtype=np.uint8)]).T.reshape(3, 64, 64)


def rounded(x: np.ndarray) -> np.ndarray:
    """Values in single precision as bytes, as C rounded them."""
    return np.clip((x.astype(np.float32) + np.float32(0.5)), 0, 255).astype(np.uint8)


def test_bytes_of_luminance_are_rounded(value: Evaluate) -> None:
    x = bytes_of_all_kinds()
    got = value("image.rgb2y(x)", x=x)
    assert got[0, 0, 0] == 163
    np.testing.assert_array_equal(got, rounded(np.tensordot([[0.299, 0.587, 0.114]], x.astype(float), 1)))


def test_bytes_of_hue_are_computed_in_single_precision(value: Evaluate) -> None:
    x = bytes_of_all_kinds()
    f = np.float32
    r, g, b = (x / f(255)).astype(f)
    high, low = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
    d = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        red = (g - b) / d
        hue = np.where(high == r, np.where(red < 0, red + f(6), red),
                       np.where(high == g, (b - r) / d + f(2), (r - g) / d + f(4)))  # fmt: skip
        hue = np.where(d == 0, f(0), hue / f(6))
        lightness = (high + low) / f(2)
        s_hsl = np.where(lightness > 0.5, d / (f(2) - high - low), d / (high + low))
        s_hsv = d / high
    assert hue.dtype == s_hsl.dtype == f
    s_hsl, s_hsv = np.where(d == 0, f(0), s_hsl), np.where(d == 0, f(0), s_hsv)
    for name, planes in (("hsv", [hue, s_hsv, high]), ("hsl", [hue, s_hsl, lightness])):
        np.testing.assert_array_equal(
            value(f"image.rgb2{name}(x)", x=x), rounded(np.stack(planes) * f(255)), err_msg=name
        )


def test_kernels_of_bytes_are_clipped(value: Evaluate) -> None:
    got = value("image.gaussian{amplitude = 1000, tensor = torch.ByteTensor(5, 5)}")
    real = value("image.gaussian{amplitude = 1000, size = 5}")
    np.testing.assert_array_equal(got, np.clip(real + 0.5, 0, 255).astype(np.uint8))
    assert got[2, 2] == 255


def test_floats_and_bytes_have_the_numbers_of_the_original(value: Evaluate) -> None:
    """Each was printed by the original, with nine digits."""
    grey = np.array([188, 192, 187], np.float64).reshape(3, 1, 1) / 255
    blue = np.array([99, 147, 218], np.float64).reshape(3, 1, 1) / 255
    for call, pixel, wanted in [
        ("rgb2hsv", grey, "0.299999982 0.0260416642 0.752941191"),
        ("rgb2hsl", grey, "0.299999982 0.0381679349 0.74313724"),
        ("rgb2lab", grey, "77.2679291 -2.31100917 2.03038788"),
        ("rgb2yuv", grey, "0.746015668 -0.00623357296 -0.00768603384"),
        ("rgb2hsl", blue, "0.5994398 0.616580427 0.62156862"),
        ("hsl2rgb", blue, "0.771257162 0.938546777 0.826364338"),
        ("hsv2rgb", blue, "0.362076104 0.854901969 0.524418771"),
    ]:
        made = value(f"image.{call}(x:float())", x=pixel).reshape(-1)
        assert " ".join(f"{number:.9g}" for number in made) == wanted
    x = np.array([200, 100, 50], np.float64).reshape(3, 1, 1)
    for call, bytes_wanted in [("rgb2yuv", [0, 0, 0]), ("yuv2rgb", [250, 200, 144]), ("rgb2y", [124])]:
        assert value(f"image.{call}(x:byte())", x=x).reshape(-1).tolist() == bytes_wanted
    in_place = "(function() local y = x:clone() image.yuv2rgb(y, y) return y - image.yuv2rgb(x) end)()"
    assert not value(in_place, x=x).any()


@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Char", "Short", "Int", "Long"])
def test_weighted_sums_of_all_types(value: Evaluate, kind: str) -> None:
    """The original's results: weights of integers are whole, and sums wrap around.

    They are the same in place, where the original reads what it has written.
    """
    x = np.array([[10, 3, 7], [1, -9 if kind != "Byte" else 247, 100], [1, 2, 90]], float)
    if kind in ("Double", "Float"):
        wanted = [[11.13983, 5.27966, 109.5847], [9.02475, 5.39065, -84.719], [12.03211, -15.28899, 210.211]]
        luma = [[3.691, -4.158, 71.053], [-1.32416, 3.03035, 9.32409], [5.535, 6.27989, -56.1949]]
    else:
        wanted = [[11, 5, 97], [10, 3, 7], [12, {"Byte": 241}.get(kind, -15), -49 if kind == "Char" else 207]]
        luma = np.zeros((3, 3)).tolist()
    x_of_type = f"x:type('torch.{kind}Tensor')"
    for view in ("", ":view(3, 3, 1)", ":view(3, 1, 1, 3)"):
        for call, rows in (("yuv2rgb", wanted), ("rgb2yuv", luma)):
            found = value(f"image.{call}({x_of_type}{view})", x=x)
            np.testing.assert_allclose(found.reshape(3, 3), rows, rtol=1e-6, atol=1e-9)
    transposed = value(f"image.yuv2rgb({x_of_type}:t())", x=np.ascontiguousarray(x.T))
    np.testing.assert_allclose(transposed, wanted, rtol=1e-6, atol=1e-9)
    for result in (f"torch.{kind}Tensor()", "y", f"torch.{kind}Tensor(3, 6):t():narrow(1, 1, 3)"):
        made = f"(function() local y = {x_of_type}:clone() return image.yuv2rgb({result}, y) end)()"
        np.testing.assert_allclose(value(made, x=x), wanted, rtol=1e-6, atol=1e-9)


def test_planes_that_are_missing(value: Evaluate) -> None:
    for wrong in ("torch.ones(4, 3)", "torch.ones(2, 3, 3)", "torch.ones(3)", "torch.IntTensor(4, 2)", "1"):
        with pytest.raises(LuaError, match=r"rgb2yuv: image must have 3 planes \(got"):
            value(f"image.rgb2yuv({wrong})")


@pytest.mark.parametrize("kind", ["Char", "Short", "Int", "Long"])
def test_integers_divided_by_their_sum(value: Evaluate, kind: str) -> None:
    """The original's results: quotients are truncated, and sums of Chars wrap around."""
    x = np.array([10, 3, 7, 1, -9, 100, 1, 2, 90], float)
    found = value(f"image.rgb2nrgb(x:type('torch.{kind}Tensor'):view(3, 3, 1))", x=x).ravel().tolist()
    assert found == ([0, 0, 0, 0, 2, -1, 0, 0, -1] if kind == "Char" else [0, 0, 0, 0, 2, 0, 0, 0, 0])
    with pytest.raises(LuaError, match="division by zero"):
        value(f"image.rgb2nrgb(torch.{kind}Tensor(3, 1, 1):zero())")
