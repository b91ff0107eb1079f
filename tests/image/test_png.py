"""PNG files of t7shell's own encoder, read by Pillow."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from t7shell.image import png

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def smooth(height: int, width: int, planes: int) -> np.ndarray:
    y, x, p = np.mgrid[:height, :width, :planes]
    return (128 + 60 * np.sin(y / 9 + p) + 60 * np.cos(x / 7)).astype(np.uint8)


def noise(height: int, width: int, planes: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (height, width, planes), np.uint8)


def data_of(content: bytes) -> bytes:
    """The compressed data of a PNG file, joined."""
    at, data = 8, b""
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        if content[at + 4 : at + 8] == b"IDAT":
            data += content[at + 8 : at + 8 + length]
        at += length + 12
    return data


# Rows of more bytes than are filtered at a time, rows that fill many chunks, and single elements.
@pytest.mark.parametrize("sizes", [(1, 1), (1, 5), (5, 1), (3, 40000), (300, 211), (70, 469)])
@pytest.mark.parametrize("planes", [1, 2, 3, 4])
@pytest.mark.parametrize("make", [smooth, noise])
def test_pillow_reads_the_pixels(sizes: tuple[int, int], planes: int, make: object) -> None:
    assert callable(make)
    pixels = make(*sizes, planes)
    with Image.open(io.BytesIO(png.encode(pixels))) as picture:
        assert picture.mode == MODES[planes] and picture.size == sizes[::-1]
        np.testing.assert_array_equal(np.asarray(picture).reshape(pixels.shape), pixels)


def test_each_filter_is_used() -> None:
    """Rows that are small, like the left, like what is above, or like the mean of both."""
    x = np.arange(256)
    rows = [np.where(x % 2, 3, 254), x, noise(1, 256, 1)[0, :, 0]]
    rows.append(rows[-1])
    mean = [7]
    for above in rows[-1][1:]:
        mean.append((mean[-1] + int(above)) // 2)
    rows.append(np.array(mean))
    pixels = np.array(rows).astype(np.uint8)[..., None]
    content = png.encode(pixels)
    filtered = np.frombuffer(zlib.decompress(data_of(content)), np.uint8)
    # What noise gets is left to chance.
    assert filtered.reshape(5, 257)[[0, 1, 3, 4], 0].tolist() == [0, 1, 2, 3]
    with Image.open(io.BytesIO(content)) as picture:
        np.testing.assert_array_equal(np.asarray(picture), pixels[..., 0])


def test_smooth_pictures_are_small() -> None:
    """Less than twice Pillow's size at its best."""
    for pixels in (smooth(256, 256, 3), np.zeros((256, 256, 3), np.uint8)):
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "PNG", optimize=True)
        assert len(png.encode(pixels)) < 2 * len(out.getvalue()) + 1000


def test_noise_is_stored() -> None:
    pixels = noise(256, 256, 3)
    content = png.encode(pixels)
    assert len(content) < pixels.size * 1.002
    data = data_of(content)
    # The first block of deflate is of the kind 00, without compression.
    assert (data[2] >> 1) & 3 == 0
    assert zlib.decompress(data)[1:769] == pixels[0].tobytes()
