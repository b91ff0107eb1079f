"""rotate, translate, polar, warp, affinetransform, crop and flips against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from t7shell import LuaError, Runtime

from .conftest import Evaluate, picture


def test_quarter_turns(value: Evaluate) -> None:
    x = picture(3, 5, 5)
    for turns in range(-2, 4):
        for mode in ("simple", "bilinear"):
            got = value(f"image.rotate(x, {turns} * math.pi / 2, '{mode}')", x=x)
            np.testing.assert_allclose(got, np.rot90(x, turns, (1, 2)), atol=1e-6)


@pytest.mark.parametrize(
    ("height", "width", "turns", "wanted"),
    [
        (2, 2, 0.5, "2 4 / 1 3"),
        (2, 3, 0.5, "0 6 0 / 0 2 0"),
        (2, 3, -0.5, "0 5 0 / 0 3 0"),
        (2, 3, 1.5, "0 5 0 / 0 6 0"),
        (3, 2, 0.5, "0 0 / 4 5 / 0 0"),
        (3, 2, -0.5, "0 0 / 6 3 / 0 0"),
        (3, 4, 0.5, "0 8 12 0 / 0 7 11 0 / 0 2 10 0"),
        (3, 4, -0.5, "0 10 6 0 / 0 11 7 0 / 0 12 4 0"),
        (4, 3, 2.5, "0 0 0 / 2 6 12 / 4 8 11 / 0 0 10"),
        (3, 4, 0.25, "0 3 8 8 / 1 6 7 12 / 5 5 10 0"),
        (2, 5, 1 / 3, "0 0 3 9 0 / 0 2 8 0 0"),
    ],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8])
def test_positions_halfway_between_elements(
    value: Evaluate, height: int, width: int, turns: float, wanted: str, kind: type
) -> None:
    """The results are the original's: halves are rounded away from zero, in floats."""
    x = np.arange(1, height * width + 1).reshape(height, width).astype(kind)
    rows = [[float(element) for element in row.split()] for row in wanted.split(" / ")]
    angle = f"{turns!r} * math.pi"
    assert value(f"image.rotate(x, {angle})", x=x).tolist() == rows
    assert value(f"image.rotate(x:view(1, {height}, {width}), {angle})", x=x).tolist() == [rows]
    assert value(f"image.rotate(x:t(), {angle})", x=np.ascontiguousarray(x.T)).tolist() == rows


@pytest.mark.parametrize(("mode", "order"), [("simple", 0), ("bilinear", 1)])
def test_rotations_within(value: Evaluate, mode: str, order: int) -> None:
    x, theta = picture(21, 30), 0.37
    y, i = np.mgrid[:21, :30]
    dy, dx = y - 10, i - 14.5
    down = np.cos(theta) * dy + np.sin(theta) * dx + 10
    right = np.cos(theta) * dx - np.sin(theta) * dy + 14.5
    inner = (down > 0) & (down < 20) & (right > 0) & (right < 29)
    wanted = ndimage.map_coordinates(x, [down, right], order=order)
    got = value(f"image.rotate(x, {theta}, '{mode}')", x=x)
    np.testing.assert_allclose(got[inner], wanted[inner], atol=1e-5)
    far = (down < -0.6) | (down > 20.6) | (right < -0.6) | (right > 29.6)
    assert far.any() and not got[far].any()


@pytest.mark.parametrize(("right", "down"), [(1, 0), (-2, 1), (0, -3), (7, 0), (0, 0)])
def test_translations(value: Evaluate, right: int, down: int) -> None:
    x = picture(2, 4, 6)
    wanted = ndimage.shift(x, (0, down, right), order=0)
    np.testing.assert_array_equal(value(f"image.translate(x, {right}, {down})", x=x), wanted)
    got = value(f"(function() local y = x:clone() return image.translate(y, y, {right}, {down}) end)()", x=x)
    np.testing.assert_array_equal(got, wanted)


def test_warps(value: Evaluate) -> None:
    """Weights are floats."""
    x = picture(2, 6, 7)
    field = 3 * picture(2, 5, 4) - 1
    y, i = np.mgrid[:5, :4]
    at = np.stack([y, i]) + field
    for name, order in (("simple", 0), ("bilinear", 1)):
        wanted = [ndimage.map_coordinates(plane, at, order=order, mode="nearest") for plane in x]
        np.testing.assert_allclose(value(f"image.warp(x, f, '{name}')", x=x, f=field), wanted, atol=2e-7)
        wanted = [ndimage.map_coordinates(p, field, order=order, mode="nearest") for p in x]
        np.testing.assert_allclose(
            value(f"image.warp(x, f, '{name}', false)", x=x, f=field), wanted, atol=2e-7
        )
    outside = (at[0] < 0) | (at[1] < 0) | (at[0] > 5) | (at[1] > 6)
    got = value("image.warp(x, f, 'bilinear', true, 'pad', -7)", x=x, f=field)
    assert outside.any() and (got[:, outside] == -7).all() and (got[:, ~outside] >= 0).all()


def lanczos(d: np.ndarray) -> np.ndarray:
    return np.where(np.abs(d) < 3, np.sinc(d) * np.sinc(d / 3), 0)


def test_lanczos_is_a_windowed_sinc(value: Evaluate) -> None:
    x = picture(12, 12)
    w_y, w_x = (lanczos(at - np.arange(12)) for at in (5.25, 6.75))
    wanted = w_y @ x @ w_x / (w_y.sum() * w_x.sum())
    field = np.array([5.25, 6.75]).reshape(2, 1, 1)
    np.testing.assert_allclose(
        value("image.warp(x, f, 'lanczos', false)", x=x, f=field), [[wanted]], atol=1e-6
    )


@pytest.mark.parametrize("call", ["warp(r, x, torch.zeros(2, 2, 3))", "affinetransform(r, x, torch.eye(2))"])
def test_a_given_result_of_a_matrix_becomes_an_image_of_one_plane(value: Evaluate, call: str) -> None:
    """As in the original, whose function gives the plane."""
    got = value(
        f"(function() local x, r = torch.range(1, 6):view(2, 3), torch.Tensor(2, 3) local y = image.{call}"
        " return torch.Tensor{r:dim(), r:size(1), y:dim(), (y - r[1]):abs():max()} end)()"
    )
    assert got.tolist() == [3, 1, 2, 0]


def test_cubic_warps_keep_planes(value: Evaluate) -> None:
    y, i = np.mgrid[:8, :9].astype(float)
    field = np.stack([1 + 4 * picture(4, 4), 1 + 5 * picture(4, 4)]).astype("float32").astype(float)
    got = value("image.warp(x, f, 'bicubic', false)", x=2 * y - 3 * i, f=field)
    np.testing.assert_allclose(got, 2 * field[0] - 3 * field[1], atol=1e-9)


def keys(d: np.ndarray) -> np.ndarray:
    """The kernel of cubic convolution by Keys (1981) for a = -1/2."""
    d = np.abs(d)
    return np.where(d < 1, (1.5 * d - 2.5) * d * d + 1, np.where(d < 2, ((2.5 - 0.5 * d) * d - 4) * d + 2, 0))


def test_cubic_warps_read_padding_beyond_the_edge(value: Evaluate) -> None:
    x, outside = picture(5, 6), 0.75
    at = np.array([[0, 0.25, 1.5, 3.75, 4], [0.5, 4.25, 2.75, 4.875, 5]])
    for options, padding in ("", 0.0), (f", 'pad', {outside}", outside):
        wide = np.pad(x, 2, constant_values=padding)
        rows, columns = (keys(at[i][:, None] - np.arange(-2, n + 2)) for i, n in enumerate(x.shape))
        got = value(f"image.warp(x, f, 'bicubic', false{options})", x=x, f=at[:, None])
        np.testing.assert_allclose(got[0], np.einsum("ai,ij,aj->a", rows, wide, columns), atol=1e-12)


def test_affine_transforms(value: Evaluate) -> None:
    x, matrix = picture(9, 9), np.array([[0.9, 0.2], [-0.1, 0.8]])
    moved = np.array([0.5, -0.25])
    centre = np.array([4, 4])
    wanted = ndimage.affine_transform(x, matrix, centre - matrix @ centre - moved, order=1, mode="nearest")
    got = value("image.affinetransform(x, m, 'bilinear', t)", x=x, m=matrix, t=moved)
    np.testing.assert_allclose(got, wanted, atol=1e-6)


def test_polar_rows_are_angles(value: Evaluate) -> None:
    y, x = np.mgrid[:41, :41].astype(float)
    distance = np.hypot(y - 20.5, x - 20.5)
    got = value("image.polar(x, 'bilinear', 'valid')", x=distance[None])
    assert got.shape == (1, 41, 41)
    # Whatever the angle, a column lies at one distance.
    np.testing.assert_allclose(got[0, :, 5:38], np.broadcast_to(np.arange(5, 38) / 2, (41, 33)), atol=0.05)
    corner = value("image.polar(x, 'simple', 'full')", x=np.ones((1, 8, 8)))
    assert corner[0, 1, -1] == 1 and corner[0, 0, -1] == 0
    logs = value("image.logpolar(x, 'bilinear', 'valid')", x=distance[None])
    np.testing.assert_allclose(logs[0, :, 30], 20.5 ** (30 / 41), atol=0.1)


def test_crops(value: Evaluate) -> None:
    x = picture(2, 7, 9)
    np.testing.assert_array_equal(value("image.crop(x, 2, 1, 6, 5)", x=x), x[:, 1:5, 2:6])
    for name, rows, columns in (
        ("tl", slice(0, 3), slice(0, 4)),
        ("tr", slice(0, 3), slice(5, 9)),
        ("bl", slice(4, 7), slice(0, 4)),
        ("br", slice(4, 7), slice(5, 9)),
        ("c", slice(2, 5), slice(2, 6)),
    ):
        np.testing.assert_array_equal(value(f"image.crop(x, '{name}', 4, 3)", x=x), x[:, rows, columns])
    with pytest.raises(LuaError, match=r"crop: window must be within the image \(got columns 2 to 10"):
        value("image.crop(x, 2, 1, 10, 5)", x=x)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("x, 0.8, 0, 4, 2", [[1, 2, 3], [6, 7, 8]]),
        ("x, 1.9, 1.9, 5.5, 4.5", [[7, 8, 9], [12, 13, 14]]),
        ("x, 'tr', 2.5, 1.5", [[3, 4]]),
        ("x, 'c', 3.7, 1", [[6, 7, 8]]),
        ("x, -0.5, 0, 2, 1", [[1, 2]]),
        ("torch.Tensor(2, 3), x, 1.5, 1.5, 4.4, 3.5", [[7, 7.5, 8], [12, 12.5, 13]]),
        ("x, 'br', 2.2, 3.8", [[3, 4], [8, 9], [13, 14]]),
    ],
)
def test_sizes_of_windows_with_fractions(value: Evaluate, call: str, expected: list[list[float]]) -> None:
    """The original's windows: the distance of the corners is truncated."""
    x = np.arange(1.0, 21).reshape(4, 5)
    assert value(f"image.crop({call})", x=x).tolist() == expected


@pytest.mark.parametrize("sizes", ["3, 5, 5", "2, 2", "7", ""])
def test_results_take_the_sizes_of_the_image(value: Evaluate, sizes: str) -> None:
    """As in the original, whatever sizes they had."""
    result = f"torch.Tensor({sizes})"
    x = np.arange(1.0, 7).reshape(2, 3)
    got = value(f"(function(r) return image.translate(r, x, 1, 0) == r and r end)({result})", x=x)
    assert got.tolist() == [[0, 1, 2], [0, 4, 5]]
    assert value(f"image.rotate({result}, x, math.pi)", x=x).tolist() == [[6, 5, 4], [3, 2, 1]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("width", [1, 6, 7])
def test_flips(value: Evaluate, dtype: type, width: int) -> None:
    x = (picture(2, 3, 5, width) * 255).astype(dtype)
    for d in range(4):
        np.testing.assert_array_equal(value(f"image.flip(x, {d + 1})", x=x), np.flip(x, d))
    np.testing.assert_array_equal(value("image.hflip(x)", x=x[0]), x[0, :, :, ::-1])
    np.testing.assert_array_equal(value("image.vflip(x)", x=x[0]), x[0, :, ::-1])
    got = value("(function() local y = x:clone() return image.vflip(y, y) end)()", x=x[0])
    np.testing.assert_array_equal(got, x[0, :, ::-1])
    np.testing.assert_array_equal(value("image.hflip(x:t())", x=x[0, 0]), x[0, 0].T[:, ::-1])


@pytest.mark.parametrize(
    "call",
    [
        "image.rotate(torch.ones(3, 3))",
        "image.rotate(torch.ones(3, 3), 1, 'cubic')",
        "image.rotate(torch.ones(2), 1)",
        "image.warp(torch.ones(3, 3), torch.ones(3, 3))",
        "image.warp(torch.ones(3, 3), torch.zeros(2, 3, 3), 'bilinear', true, 'clamp', 1)",
        "image.affinetransform(torch.ones(3, 3), torch.ones(3, 3))",
        "image.polar(torch.ones(3, 3))",
        "image.flip(torch.ones(3, 3), 3)",
        "image.hflip('x')",
        "image.crop(torch.ones(3, 3), 'xx', 1, 1)",
        "image.crop(torch.ones(3, 3), 0, 0, 0 / 0, 3)",
        "image.translate(torch.ones(3, 3), 1)",
    ],
)
def test_errors_name_the_function(value: Evaluate, call: str) -> None:
    name = call[6 : call.index("(")]
    with pytest.raises(LuaError, match=rf"{name}: .*(\(got|expected)"):
        value(call)


def test_positions_that_are_no_numbers(value: Evaluate) -> None:
    field = np.array([np.nan, np.inf, -np.inf, 1e300]).reshape(1, 1, 4).repeat(2, 0)
    x = picture(3, 3)
    assert value("image.warp(x, f)", x=x, f=field).tolist() == [[x[0, 0], x[2, 2], x[0, 0], x[2, 2]]]
    assert value("image.rotate(x, 0/0)", x=x).sum() == 0
    assert value("image.rotate(x, 0/0, 'bilinear')", x=x).sum() == 0


def test_a_window_is_scaled_into_a_result_of_another_size(value: Evaluate) -> None:
    x = picture(2, 7, 9)
    got = value("image.crop(torch.Tensor(2, 8, 6), x, 2, 1, 6, 5)", x=x)
    np.testing.assert_array_equal(got, value("image.scale(x, 6, 8, 'bilinear')", x=x[:, 1:5, 2:6].copy()))
    np.testing.assert_array_equal(value("image.crop(torch.Tensor(), x, 2, 1, 6, 5)", x=x), x[:, 1:5, 2:6])


def test_cubic_warps_are_exact_for_quadratics(value: Evaluate) -> None:
    def f(y: np.ndarray, x: np.ndarray) -> np.ndarray:
        return y**2 - 4 * y * x**2 + 2 * x**2 - x + 7

    y, x = np.mgrid[:8, :9].astype(float)
    field = np.stack([1 + 4 * picture(4, 4), 1 + 5 * picture(4, 4)]).astype("float32").astype(float)
    got = value("image.warp(x, f, 'bicubic', false)", x=f(y, x), f=field)
    np.testing.assert_allclose(got, f(field[0], field[1]), atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "call", "row"),
    [
        ("Double", "crop(x, 1, 1, 6, 4)", "0.2574257553 0.6336633563 0.5544554591 0.6237623692"),
        ("Double", "scale(x, 7, 4, 'simple')", "0.08910891414 0.08910891414 0.4059405923 0.1287128776"),
        ("Double", "rotate(x, 0.3)", "0.1089108884 0.4059405923 0.1287128776 0.8712871075"),
        ("Double", "rotate(x, 0.3, 'bilinear')", "0.1507079154 0.2532484531 0.3733743131 0.6981933713"),
        ("Double", "polar(x, 'bilinear', 'full')", "0.6980198026 0.4169132411 0.1077988893 0.3030864"),
        (
            "Double",
            "logpolar(x, 'bilinear', 'valid')",
            "0.1298998743 0.03492592275 0.1342263371 0.2223438472",
        ),
        ("Double", "warp(x, f, 'bilinear')", "0.4178822151 0.357019929 0.3679032532 0.6062247351"),
        ("Double", "warp(x, f, 'lanczos')", "0.4426250915 0.3050817474 0.3908259584 0.6285574037"),
        (
            "Double",
            "affinetransform(x, m, 'bilinear', t)",
            "0.1956435669 0.2188118791 0.4489109605 0.7706930189",
        ),
        ("Float", "crop(x, 1, 1, 6, 4)", "0.2574257553 0.6336633563 0.5544554591 0.6237623692"),
        ("Float", "scale(x, 7, 4, 'simple')", "0.08910891414 0.08910891414 0.4059405923 0.1287128776"),
        ("Float", "rotate(x, 0.3)", "0.1089108884 0.4059405923 0.1287128776 0.8712871075"),
        ("Float", "rotate(x, 0.3, 'bilinear')", "0.1507079303 0.2532484531 0.3733743429 0.6981933117"),
        ("Float", "polar(x, 'bilinear', 'full')", "0.6980198026 0.4169131815 0.1077989042 0.3030864"),
        ("Float", "logpolar(x, 'bilinear', 'valid')", "0.1298998743 0.03492592275 0.1342263371 0.2223438323"),
        ("Float", "warp(x, f, 'bilinear')", "0.4178822041 0.3570199311 0.3679032624 0.6062247157"),
        ("Float", "warp(x, f, 'lanczos')", "0.4426250458 0.3050817847 0.3908259273 0.6285572648"),
    ],
)
def test_elements_and_positions_are_rounded_as_the_original_does(
    images: Runtime, kind: str, call: str, row: str
) -> None:
    """Each row was printed by the original, with ten digits: doubles, too, pass through floats."""
    images.execute(f"""
        local k = 0
        local function next_number() k = (k * 37 + 11) % 101 return k / 101 end
        x = torch.Tensor(1, 5, 6):apply(next_number):type('torch.{kind}Tensor')
        f = torch.Tensor(2, 5, 6):apply(function() return 1.5 * next_number() end):typeAs(x)
        m, t = torch.Tensor{{{{0.9, 0.2}}, {{-0.1, 0.8}}}}, torch.Tensor{{0.3, -0.2}}
    """)
    found = np.array(images.eval(f"image.{call}"))[0, 1, :4]
    assert " ".join(f"{number:.10g}" for number in found) == row
