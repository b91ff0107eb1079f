"""The memory of pictures of Pillow, beside the bytes that it copies them to."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from PIL import Image

from t7shell.packages.image.pixel_memory import in_place

exporting = pytest.mark.skipif(not hasattr(Image.Image, "__arrow_c_array__"), reason="an older Pillow")
# Names of the layouts in memory.
LAYOUTS = {"L": "L", "RGB": "RGBX", "RGBA": "RGBA", "I": "I", "F": "F"}


def picture(mode: str, width: int, height: int) -> Image.Image:
    numbers = np.arange(width * height, dtype=np.int32).reshape(height, width)
    return (
        Image.fromarray(numbers * 9973).convert(mode)
        if mode in "IF"
        else Image.effect_noise((width, height), 50).convert(mode)
    )


@exporting
@pytest.mark.parametrize("mode", LAYOUTS)
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (33, 250)])
def test_pixels_are_those_that_pillow_copies(mode: str, size: tuple[int, int]) -> None:
    made = picture(mode, *size)
    found = in_place(made)
    assert found is not None
    expected = made.tobytes("raw", LAYOUTS[mode])
    assert ctypes.string_at(found[0], len(expected)) == expected


@exporting
def test_what_keeps_the_pixels_outlives_the_picture() -> None:
    made = picture("RGB", 300, 200)
    found = in_place(made)
    assert found is not None
    expected = made.tobytes("raw", "RGBX")
    del made
    others = [Image.new("RGB", (300, 200), (k, k, k)) for k in range(20)]
    assert ctypes.string_at(found[0], len(expected)) == expected
    assert len(others) == 20


@pytest.mark.parametrize(("mode", "size"), [("LA", (7, 5)), ("CMYK", (7, 5)), ("RGB", (3000, 2000))])
def test_other_layouts_are_copied(mode: str, size: tuple[int, int]) -> None:
    assert in_place(Image.new(mode, size)) is None


def test_older_versions_of_pillow_export_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Image.Image, "__arrow_c_array__", raising=False)
    assert in_place(picture("RGB", 7, 5)) is None
