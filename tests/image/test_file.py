"""Files: what Pillow reads in what we write, and what we read in what Pillow writes."""

from __future__ import annotations

import io
import os
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from t7shell import LuaError, Runtime

from .conftest import Evaluate, picture


def bytes_of(*sizes: int) -> np.ndarray:
    return (picture(*sizes) * 255).astype(np.uint8)


@pytest.mark.parametrize(("mode", "planes"), [("L", 1), ("LA", 2), ("RGB", 3), ("RGBA", 4)])
def test_png(value: Evaluate, tmp_path: Path, mode: str, planes: int) -> None:
    x, path = bytes_of(planes, 5, 7), tmp_path / "ä.png"
    value(f"image.save('{path}', x)", x=x)
    with Image.open(path) as written:
        assert written.mode == mode
        np.testing.assert_array_equal(np.asarray(written).reshape(5, 7, planes).transpose(2, 0, 1), x)
    np.testing.assert_array_equal(value(f"image.load('{path}', nil, 'byte')"), x)
    np.testing.assert_array_equal(value(f"image.load('{path}', nil, 'float')"), x / np.float32(255))
    assert value(f"image.getSize('{path}')").tolist() == [planes, 5, 7]


def modes() -> dict[str, Image.Image]:
    """Pictures in modes of Pillow, large enough for several cores."""
    values = np.random.default_rng(1).integers(0, 256, (130, 201, 4), dtype=np.uint8)
    rgb, rgba = Image.fromarray(values[..., :3]), Image.fromarray(values)
    deep = Image.fromarray(values.view(np.uint16)[..., 0])
    real = Image.fromarray((values.view(np.int32)[..., 0] / 2**31).astype(np.float32))
    pictures = {mode: rgb.convert(mode) for mode in ("1", "L", "P", "CMYK", "YCbCr", "LAB")}
    return pictures | {"LA": rgba.convert("LA"), "RGB": rgb, "RGBA": rgba, "I;16": deep, "F": real}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("kind", ["double", "float", "byte"])
@pytest.mark.parametrize("mode", modes())
def test_modes(images: Runtime, value: Evaluate, tmp_path: Path, mode: str, kind: str, cores: int) -> None:
    """The elements of NumPy's arrays, divided by white in the precision of the result."""
    path, dtype = tmp_path / "x.tiff", {"double": "float64", "float": "float32", "byte": "uint8"}[kind]
    written = modes()[mode]
    written.save(path)
    before = images.eval("torch.getnumthreads()")
    images.execute(f"torch.setnumthreads({cores})")
    found = value(f"image.load('{path}', nil, '{kind}')")
    images.execute(f"torch.setnumthreads({before})")
    read = {"1": "L", "P": "RGB", "CMYK": "RGB", "YCbCr": "RGB", "LAB": "RGB"}.get(mode, mode)
    pixels = np.asarray(written.convert(read)).reshape(130, 201, -1).transpose(2, 0, 1)
    if mode == "F":
        wanted = (pixels * 255).astype(np.int64) if kind == "byte" else pixels
    elif kind == "byte":
        wanted = pixels >> 8 if mode == "I;16" else pixels
    else:
        wanted = pixels / np.array(65535 if mode == "I;16" else 255, dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, wanted.astype(dtype))


@pytest.mark.parametrize("beyond", [False, True])
@pytest.mark.parametrize("planes", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_fractions_become_bytes(
    value: Evaluate, tmp_path: Path, kind: str, planes: int, beyond: bool
) -> None:
    """Steps of 1/255, rounded down when what a division by 255 may have lost is added."""
    bits, slack = ("int64", 1e-9) if kind == "float64" else ("int32", 3e-5)
    step = (np.arange(256) / np.array(255, kind)).astype(kind)
    just_below = ((np.arange(256) - np.array(slack)) / 255).clip(0).astype(kind)
    near = np.concatenate(
        [(x.view(bits)[:, None] + np.arange(-40, 41)).clip(0).view(kind) for x in (step, just_below)]
    )
    x = np.resize(np.append(near.ravel(), picture(5000)), (planes, 120, 131)).clip(0, 1).astype(kind)
    if beyond:
        x[0, 3, :6] = np.nan, np.inf, -np.inf, -0.0, 1e30, -3
    path = tmp_path / "x.png"
    value(f"image.save('{path}', x)", x=x)
    wanted = (np.fmin(np.fmax(x, 0), 1) * np.array(255, kind) + np.array(slack, kind)).astype(np.uint8)
    with Image.open(path) as written:
        found = np.asarray(written).reshape(120, 131, planes).transpose(2, 0, 1)
    np.testing.assert_array_equal(found, wanted)


def test_images_of_any_layout(value: Evaluate, tmp_path: Path) -> None:
    path, x = tmp_path / "x.png", picture(3, 90, 121)
    value(f"image.save('{path}', x:transpose(2, 3))", x=x)
    np.testing.assert_array_equal(
        value(f"image.load('{path}', 3, 'byte')"), (x * 255 + 1e-9).astype(np.uint8).transpose(0, 2, 1)
    )
    value(f"image.save('{path}', x:transpose(1, 3))", x=bytes_of(20, 30, 3))
    np.testing.assert_array_equal(
        value(f"image.load('{path}', 3, 'byte')"), bytes_of(20, 30, 3).transpose(2, 1, 0)
    )


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed as on Linux")
def test_files_are_closed(images: Runtime, tmp_path: Path) -> None:
    """None waits for Lua's collector, also where there are more pictures in a file."""
    path, frames = tmp_path / "x.gif", [Image.fromarray(bytes_of(4, 5)), Image.fromarray(bytes_of(5, 4).T)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    before = len(os.listdir("/proc/self/fd"))
    images.execute("collectgarbage 'stop'")
    images.execute(f"for _ = 1, 20 do image.getSize('{path}') image.load('{path}') end")
    after = len(os.listdir("/proc/self/fd"))
    images.execute("collectgarbage 'restart'")
    assert after == before


def test_a_large_picture_and_a_small_one(value: Evaluate, tmp_path: Path) -> None:
    """Pixels of large pictures are in separate memory."""
    large, small = tmp_path / "large.bmp", tmp_path / "small.bmp"
    x = np.resize(bytes_of(3, 100, 101), (3, 2100, 2101))
    value(f"image.save('{large}', x)", x=x)
    value(f"image.save('{small}', x)", x=x[:, :3, :4])
    for _ in range(2):
        np.testing.assert_array_equal(value(f"image.load('{large}', 3, 'byte')"), x)
        np.testing.assert_array_equal(value(f"image.load('{small}', 3, 'byte')"), x[:, :3, :4])


@pytest.mark.parametrize("kind", ["double", "float"])
def test_bytes_come_back(value: Evaluate, tmp_path: Path, kind: str) -> None:
    x, path = np.arange(256, dtype=np.uint8).reshape(1, 16, 16), tmp_path / "x.png"
    value(f"image.save('{path}', x)", x=x)
    value(f"image.save('{path}', image.load('{path}', 1, '{kind}'))")
    np.testing.assert_array_equal(value(f"image.load('{path}', 1, 'byte')"), x)


def test_values_beyond_white(value: Evaluate, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    value(f"image.save('{path}', x)", x=np.array([[-1, 0.999, 1.5, np.nan, np.inf]]))
    assert value(f"image.load('{path}', 1, 'byte')").tolist() == [[[0, 254, 255, 0, 255]]]


@pytest.mark.parametrize(
    ("ending", "kind"), [("jpg", "JPEG"), ("JPEG", "JPEG"), ("ppm", "PPM"), ("bmp", "BMP"), ("tiff", "TIFF")]
)
def test_other_formats(value: Evaluate, tmp_path: Path, ending: str, kind: str) -> None:
    y, x = np.mgrid[:16, :24]
    smooth, path = np.stack([y * 8, x * 8, y + x]).astype(np.uint8), tmp_path / f"x.{ending}"
    value(f"image.save('{path}', x)", x=smooth)
    with Image.open(path) as written:
        assert written.format == kind and written.size == (24, 16)
    difference = value(f"image.load('{path}', 3, 'byte')").astype(int) - smooth
    assert np.abs(difference).max() <= (12 if kind == "JPEG" else 0)


def test_a_smaller_picture_over_a_larger_one(value: Evaluate, tmp_path: Path) -> None:
    x, path = bytes_of(3, 40, 50), tmp_path / "x.png"
    value(f"image.save('{path}', x)", x=x)
    value(f"image.save('{path}', x)", x=x[:, :4, :5])
    assert path.read_bytes().endswith(b"IEND\xaeB`\x82")
    assert path.stat().st_size < 4 * 5 * 3 + 200
    np.testing.assert_array_equal(value(f"image.load('{path}', 3, 'byte')"), x[:, :4, :5])


def test_depths(value: Evaluate, tmp_path: Path) -> None:
    colour, path = bytes_of(3, 2, 3), tmp_path / "x.png"
    value(f"image.save('{path}', x)", x=colour)
    grey = value(f"image.load('{path}', 1)")
    np.testing.assert_allclose(grey, np.tensordot([0.299, 0.587, 0.114], colour / 255, 1))
    value(f"image.save('{path}', x)", x=colour[0])
    assert value(f"image.load('{path}', 3, 'byte')").tolist() == [colour[0].tolist()] * 3
    assert value(f"image.load('{path}', 1)").shape == (1, 2, 3)


def test_modes_of_other_programs(value: Evaluate, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    deep = np.array([[0, 256, 65535]], np.uint16)
    Image.fromarray(deep).save(path)
    np.testing.assert_allclose(value(f"image.load('{path}')"), [deep / 65535])
    assert value(f"image.load('{path}', 1, 'byte')").tolist() == [[[0, 1, 255]]]
    palette = Image.fromarray(bytes_of(4, 4)).convert("P")
    palette.save(path)
    assert value(f"image.load('{path}')").shape == (3, 4, 4)
    Image.fromarray(np.array([[True, False]])).save(path)
    assert value(f"image.load('{path}')").tolist() == [[[1, 0]]]


def test_sizes_by_format(images: Runtime, tmp_path: Path) -> None:
    """Planes, height and width: a tensor from getSize, three numbers from the others, as in the original."""
    Image.fromarray(bytes_of(4, 6)).save(tmp_path / "grey.jpg")
    images.execute(f"path = {str(tmp_path)!r}")
    for ending in ("jpg", "png", "ppm"):
        Image.fromarray(bytes_of(5, 7, 3)).save(tmp_path / f"x.{ending}")
        assert images.eval(f"image.get{ending.upper()}size(path .. '/x.{ending}')") == (3, 5, 7)
        assert images.eval(f"image.getSize(path .. '/x.{ending}')").tolist() == [3, 5, 7]
    assert images.eval("image.getJPGsize(path .. '/grey.jpg')") == (1, 4, 6)
    with pytest.raises(LuaError, match="getJPGsize: cannot read"):
        images.eval("image.getJPGsize(path .. '/none.jpg')")


def test_files_in_memory(value: Evaluate) -> None:
    x = bytes_of(3, 8, 8)
    compressed = value("image.compressPNG(x)", x=x)
    with Image.open(io.BytesIO(compressed.tobytes())) as picture_of:
        np.testing.assert_array_equal(np.asarray(picture_of).transpose(2, 0, 1), x)
    np.testing.assert_array_equal(value("image.decompress(b, 3, 'byte')", b=compressed), x)
    small, large = (value(f"image.compressJPG(x, {q})", x=x).size for q in (10, 95))
    assert small < large


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("image.load('/no/such.png')", "load: cannot read /no/such.png: No such file or directory"),
        ("image.load('{source}')", "not a picture of a known format"),
        ("image.load('{cut}')", "load: cannot read"),
        ("image.load(3)", "load: path must be a string (got 3)"),
        ("image.load('{cut}', 3, 'int')", "load: type must be one of"),
        ("image.save('/no/such/x.png', torch.ones(2, 2))", "save: cannot write /no/such/x.png: No such file"),
        ("image.save('x.xyz', torch.ones(2, 2))", "save: unknown image type 'xyz'"),
        ("image.save('x.jpg', torch.ones(4, 2, 2))", "expected 1 or 3 planes (got 4)"),
        ("image.save('x.png', torch.ones(2))", "save: image must have 2 or 3 dimensions"),
        ("image.decompress(torch.ByteTensor(4))", "decompress: cannot read ByteTensor [4]"),
        ("image.decompress(torch.ones(3))", "decompress: argument 1 must be a ByteTensor of 1 dimension"),
        (
            "image.compressJPG(torch.ones(2, 2), 200)",
            "quality must be a whole number from 0 to 100 (got 200)",
        ),
    ],
)
def test_errors(value: Evaluate, tmp_path: Path, call: str, message: str) -> None:
    cut = tmp_path / "cut.png"
    buffer = io.BytesIO()
    Image.fromarray(bytes_of(40, 40)).save(buffer, "PNG")
    cut.write_bytes(buffer.getvalue()[:200])
    with pytest.raises(LuaError) as raised:
        value(call.format(source=__file__, cut=cut))
    assert message in str(raised.value)


def test_test_pictures(value: Evaluate) -> None:
    scene = value("image.lena()")
    assert scene.shape == (3, 512, 512) and scene.min() >= 0 and scene.max() <= 1
    assert scene.std() > 0.15 and abs(scene[0] - scene[2]).mean() > 0.05
    assert value("image.fabio()").shape == (257, 271)
    np.testing.assert_array_equal(scene, value("image.lena()"))


def test_a_side_that_jpeg_cannot_have(
    value: Evaluate, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(LuaError, match=r"expected at most 65500 rows and columns \(got 1x65501\)"):
        value(f"image.save('{tmp_path}/x.jpg', torch.ByteTensor(1, 65501):zero())")
    assert capfd.readouterr().err == "" and not (tmp_path / "x.jpg").exists()


def deep_png(pixels: np.ndarray, kind: int, filters: list[int], interlaced: bool = False) -> bytes:
    """A PNG file of 16 bits, height x width x channels; row i has the filter filters[i % len(filters)]."""
    height, width, channels = pixels.shape
    size = 2 * channels
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
                  (1, 0, 2, 1)]  # fmt: skip
    out = bytearray()
    for top, left, down, across in passes:
        part = pixels[top::down, left::across]
        if part.size == 0:
            continue
        rows = part.astype(">u2").reshape(len(part), -1).view(np.uint8).astype(int)
        above = np.zeros(rows.shape[1], int)
        for i, row in enumerate(rows):
            before = np.concatenate([np.zeros(size, int), row[:-size]])
            corner = np.concatenate([np.zeros(size, int), above[:-size]])
            p = before + above - corner
            near = np.stack([abs(p - before), abs(p - above), abs(p - corner)]).argmin(0)
            paeth = np.choose(near, [before, above, corner])
            which = filters[i % len(filters)]
            guess = [0 * row, before, above, (before + above) // 2, paeth][which]
            out += bytes([which]) + ((row - guess) % 256).astype(np.uint8).tobytes()
            above = row
    head = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, int(interlaced))
    chunks = [(b"IHDR", head), (b"tEXt", b"a\0b"), (b"IDAT", zlib.compress(bytes(out))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


@pytest.mark.parametrize(("kind", "channels"), [(2, 3), (4, 2), (6, 4)])
@pytest.mark.parametrize("interlaced", [False, True])
def test_channels_of_16_bits(
    value: Evaluate, tmp_path: Path, kind: int, channels: int, interlaced: bool
) -> None:
    path = tmp_path / "x.png"
    draw = np.random.default_rng(kind)
    pixels = draw.integers(0, 65536, (11, 7, channels))
    pixels[0, 0, 0] = 32767
    content = deep_png(pixels, kind, [0, 1, 2, 3, 4], interlaced)
    path.write_bytes(content)
    wanted = np.moveaxis(pixels, 2, 0)
    np.testing.assert_array_equal(value(f"image.load('{path}')"), wanted / 65535)
    np.testing.assert_array_equal(value(f"image.load('{path}', nil, 'byte')"), wanted >> 8)
    floats = value(f"image.load('{path}', nil, 'float')")
    np.testing.assert_allclose(floats, wanted / 65535, rtol=1e-6)
    memory = value("image.decompressPNG(x)", x=np.frombuffer(content, np.uint8))
    np.testing.assert_array_equal(memory, wanted / 65535)


@pytest.mark.parametrize("kept", [26, 40, 60, 200])
def test_damaged_pictures_of_16_bits(value: Evaluate, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "x.png"
    pixels = np.random.default_rng(1).integers(0, 65536, (9, 9, 3))
    path.write_bytes(deep_png(pixels, 2, [1])[:kept])
    with pytest.raises(LuaError, match="cannot read"):
        value(f"image.load('{path}')")
