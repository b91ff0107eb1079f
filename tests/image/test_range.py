"""minmax, toDisplayTensor, and drawing."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError
from t7shell.packages.display import show

from .conftest import Evaluate, picture


def test_minmax(value: Evaluate) -> None:
    x = np.array([[-1, 0.5], [2, 3]])
    np.testing.assert_allclose(value("image.minmax{tensor = x}", x=x), (x + 1) / 4)
    np.testing.assert_allclose(value("image.minmax(x, 0, 2)", x=x), x / 2)
    np.testing.assert_allclose(
        value("image.minmax{tensor = x, min = 0, max = 2, saturate = true}", x=x), np.clip(x / 2, 0, 1)
    )
    np.testing.assert_allclose(value("image.minmax{tensor = x, symm = true}", x=x), (x + 3) / 6)
    assert value("image.minmax{tensor = torch.ByteTensor{0, 51, 255}}").tolist() == [0, 0.2, 1]
    # The result is of the default type.
    assert value("image.minmax{tensor = torch.FloatTensor{1, 2}}").dtype == np.float64


@pytest.mark.parametrize("planes", [0, 1, 3])
def test_grids(value: Evaluate, planes: int) -> None:
    x = picture(*((5, planes, 3, 4) if planes else (5, 3, 4)))
    got = value("image.toDisplayTensor{input = x, padding = 2, nrow = 3}", x=x)
    assert got.shape == ((planes,) if planes else ()) + (10, 18)
    scaled = (x - x.min()) / (x.max() - x.min())
    for k in range(5):
        top, left = k // 3 * 5 + 1, k % 3 * 6 + 1
        np.testing.assert_allclose(got[..., top : top + 3, left : left + 4], scaled[k])
    assert (got[..., 4:6, :] == 1).all() and (got[..., :, 5:7] == 1).all() and (got[..., 5:, 12:] == 1).all()


def test_lists_and_limits(value: Evaluate) -> None:
    x = picture(2, 3, 4)
    packed = value("image.toDisplayTensor{x[1], x[2]}", x=x)
    np.testing.assert_allclose(packed, value("image.toDisplayTensor(x)", x=x)[None])
    # Three matrices are three images, not the planes of one.
    assert value("image.toDisplayTensor{x[1], x[2], x[1]}", x=x).shape == (1, 3, 12)
    signed = np.array([[-1, 0.5], [0, 4]])
    symmetric = value("image.toDisplayTensor{input = x, symmetric = true}", x=signed)
    np.testing.assert_allclose(symmetric, (signed + 4) / 8)
    each = value("image.toDisplayTensor{input = x, scaleeach = true}", x=x)
    assert each[:, :4].max() == each[:, 4:].max() == 1
    np.testing.assert_allclose(
        value("image.toDisplayTensor{input = x[1], min = 0, max = 0.5}", x=x), np.clip(2 * x[0], 0, 1)
    )
    with pytest.raises(
        LuaError, match=r"toDisplayTensor: input must be HxW, KxHxW, .* \(got DoubleTensor \[2x2x3x3\]\)"
    ):
        value("image.toDisplayTensor(torch.ones(2, 2, 3, 3))")


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("max = 1, symm = true", [1 / 3, 5 / 6, 4 / 3]),
        ("min = -4, symm = true", [3, 4.5, 6]),
        ("min = 1, max = 3, symm = true", [-1, -0.25, 0.5]),
        ("max = 3, symm = true, saturate = true", [0.2, 0.5, 0.8]),
        ("symm = true, saturate = true", [0.25, 0.625, 1]),
        ("min = 2, max = 2", [-3, -1.5, 0]),
        ("max = 1, saturate = true", [0, 0.75, 1]),
    ],
)
def test_limits_beside_symm(value: Evaluate, limits: str, expected: list[float]) -> None:
    """The original's: a limit that is given stays as it is, and a distance of 0 divides nothing."""
    got = value(f"image.minmax{{tensor = torch.Tensor{{-1, 0.5, 2}}, {limits}}}")
    np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # The frame is the largest element before elements are moved and scaled.
        (
            "{input = {x, x}, padding = 1, min = 10, max = 0, saturate = false}",
            [[0.9, 0.8, 0.5, 0.9, 0.8, 0.5], [0.7, 0.5, 0.5, 0.7, 0.5, 0.5], [0.5] * 6],
        ),
        ("{x, x * 2}, 0, 2, true", [[0, 0.25, 0, 0.25], [0.5, 1, 0.5, 1]]),
        ("{x, x * 2}, 0, 2, false, 0, 4, false, false", [[0.25, 0.5, 0.5, 1], [0.75, 1.25, 1.5, 2.5]]),
    ],
)
def test_lists_with_limits(value: Evaluate, arguments: str, expected: list[list[float]]) -> None:
    """The original's numbers."""
    call = f"image.toDisplayTensor({arguments})"
    got = value(f"(function() local x = torch.Tensor{{{{1, 2}}, {{3, 5}}}} return {call} end)()")
    np.testing.assert_allclose(got[0], expected)


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        ("3, 2, 1, 4", "...... #.#... #.#... #.#... ......"),
        ("2, 4, 5, 3", "...... ...... .####. .####. ......"),
        ("5, 4, 2, 1", "...... ...... ...... ...... ......"),
        ("2, 2, 2, 4", "...... .#.... .#.... .#.... ......"),
        ("3, 4, 2, 3, {lineWidth = 2}", "...... .#.... ###... .#.... ......"),
    ],
)
def test_frames_whose_corners_are_swapped(value: Evaluate, corners: str, expected: str) -> None:
    """What the original draws."""
    got = value(f"image.drawRect(torch.zeros(3, 5, 6), {corners})")[0]
    assert " ".join("".join(".#"[int(dot)] for dot in row) for row in got) == expected


def test_colours_of_drawings_are_floats(value: Evaluate) -> None:
    """The original's numbers, in a DoubleTensor."""
    frame = value("image.drawRect(torch.zeros(3, 5, 5), 2, 2, 4, 4, {color = {1, 2, 3}})")
    assert frame[:, 1, 1].tolist() == [float(np.float32(k / 255)) for k in (1, 2, 3)]
    assert frame[0, 1, 1] == 0.0039215688593685627
    assert value("image.drawText(torch.zeros(3, 8, 8), 'T', 0, 0, {color = {3, 2, 1}})").max() == float(
        np.float32(3 / 255)
    )


def test_colours_are_whole_numbers(value: Evaluate) -> None:
    """The original's: 0.5 is 0 and 1.5 is 1; one -1 makes a background none, and text begins at 1, 1."""
    frame = value("image.drawRect(torch.zeros(3, 3, 3), 1, 1, 2, 2, {color = {0.5, 1.5, 255}})")
    assert frame[:, 0, 0].tolist() == [0, float(np.float32(1 / 255)), 1]
    plain = value("image.drawText(torch.zeros(3, 9, 9), 'T', 1, 1)")
    options = "{bg = {0, -1, 5}}"
    np.testing.assert_array_equal(
        value(f"image.drawText(torch.zeros(3, 9, 9), 'T', nil, nil, {options})"), plain
    )


@pytest.mark.parametrize("text", ["''", "' '", r"'  \n '"])
def test_blank_text_has_no_background(value: Evaluate, text: str) -> None:
    """As in the original."""
    assert value(f"image.drawText(torch.zeros(3, 8, 8), {text}, 0, 0, {{bg = {{1, 2, 3}}}})").sum() == 0


def test_frames(value: Evaluate) -> None:
    got = value("image.drawRect(torch.zeros(3, 7, 8), 2, 3, 6, 6)")
    wanted = np.zeros((7, 8))
    wanted[2:6, 1:6] = 1
    wanted[3:5, 2:5] = 0
    np.testing.assert_array_equal(got[0], wanted)
    assert not got[1:].any()
    wide = value(
        "image.drawRect(torch.ByteTensor(3, 9, 9):zero(), 3, 3, 7, 7, {lineWidth = 3, color = {9, 8, 7}})"
    )
    assert wide[:, 1, 1].tolist() == [9, 8, 7] and wide[0, 4, 4] == 0 and wide[0, 8, 8] == 0
    # A frame beyond the edges is cut off there.
    assert value("image.drawRect(torch.zeros(3, 4, 4), -3, -3, 9, 2)")[0].tolist() == [
        [0] * 4,
        [1] * 4,
        [0] * 4,
        [0] * 4,
    ]


def test_text(value: Evaluate) -> None:
    got = value("image.drawText(torch.zeros(3, 20, 30), 'T\\nT', 2, 1, {size = 1, color = {0, 255, 0}})")
    assert got[0].sum() == got[2].sum() == 0
    assert got[1, 1, 2:7].tolist() == [1] * 5 and got[1, 9, 2:7].tolist() == [1] * 5
    twice = value("image.drawText(torch.zeros(3, 20, 30), 'T', 0, 0, {size = 2})")
    np.testing.assert_array_equal(twice[0, :14:2, :10:2], got[1, 1:8, 2:7])
    with pytest.raises(LuaError, match=r"drawRect: x1 must be a number \(got nil\)"):
        value("image.drawRect(torch.zeros(3, 4, 4))")
    with pytest.raises(LuaError, match="toDisplayTensor: image 1 must be a tensor of 2 or 3 dimensions"):
        value("image.toDisplayTensor{torch.Tensor(), torch.Tensor()}")
    with pytest.raises(LuaError, match="drawText: image must have 3 planes"):
        value("image.drawText(torch.zeros(1, 20, 20), 'x', 1, 1)")


def test_all_letters_differ(value: Evaluate) -> None:
    letters = [chr(code) for code in range(33, 127)]
    drawn = {
        value(f"image.drawText(torch.zeros(3, 8, 7), string.char({ord(letter)}), 0, 0)")[0].tobytes()
        for letter in letters
    }
    assert len(drawn) == len(letters)


def test_a_window_is_shown_by_its_title(value: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "_choice", "none")
    assert value("tostring(image.window())").startswith("image ")
    with_picture = value("tostring(image.display{image = torch.rand(3, 4, 5), legend = 'noise'})")
    assert with_picture == "noise: torch.DoubleTensor [3x4x5]"


def test_text_goes_on_at_the_left_edge(value: Evaluate) -> None:
    letter = value("image.drawText(torch.zeros(3, 8, 7), 'T', 0, 0)")[0, :7, :5]
    # 6 + 6 columns reach the edge of 12, and 3 + 6 do not.
    for column, text, second in ((3, "TT", 0), (6, "T", 0)):
        got = value(f"image.drawText(torch.zeros(3, 16, 12), '{text}', {column}, 0)")[0]
        np.testing.assert_array_equal(got[8:15, second : second + 5], letter)
        assert got.sum() == len(text) * letter.sum()
    # What lies outside is cut off.
    got = value("image.drawText(torch.zeros(3, 8, 20), 'T', -2, -1, {wrap = false})")[0]
    np.testing.assert_array_equal(got[:6, :3], letter[1:, 2:])
    assert got.sum() == letter[1:, 2:].sum()


def test_the_letter_f(value: Evaluate) -> None:
    got = value("image.drawText(torch.zeros(3, 8, 7), 'f', 0, 0)")[0, :7, :5]
    rows = ["...#.", "..#.#", "..#..", ".###.", "..#..", "..#..", "..#.."]
    np.testing.assert_array_equal(got == 1, [[dot == "#" for dot in row] for row in rows])


def test_windows_name_the_type_of_what_they_show(value: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "_choice", "none")
    for made, kind in (
        ("torch.rand(3, 4, 5)", "torch.DoubleTensor [3x4x5]"),
        ("torch.rand(4, 5):float()", "torch.FloatTensor [4x5]"),
        ("torch.ByteTensor(3, 4, 5):fill(1)", "torch.ByteTensor [3x4x5]"),
        ("{torch.rand(4, 5), torch.rand(4, 5)}", "torch.DoubleTensor [1x6x14]"),
    ):
        assert value(f"tostring(image.display{{image = {made}, legend = 'x'}})") == f"x: {kind}"
