"""gm on pictures that Pillow reads and writes too."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter, JpegImagePlugin

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

lua = runtime_fixture("gm = require 'graphicsmagick' torch.manualSeed(1)")


@pytest.fixture
def pixels() -> Any:
    return np.random.default_rng(1).integers(0, 256, (6, 9, 3)).astype(np.uint8)


@pytest.fixture
def path(tmp_path: Path, pixels: Any) -> str:
    Image.fromarray(pixels).save(tmp_path / "a.png")
    return str(tmp_path / "a.png")


def test_properties(lua: Runtime, path: str) -> None:
    lua.globals()["path"] = path
    lua.execute("i = gm.Image(path) w, h = i:size() t = gm.info(path)")
    assert (lua.eval("w"), lua.eval("h")) == (9, 6)
    assert lua.eval("i:type()") == "TrueColor" and lua.eval("i:depth()") == 8
    assert lua.eval("i:format()") == "PNG" and lua.eval("i:colorspace()") == "RGB"
    assert lua.eval("t.width .. t.height .. t.format .. t.type") == "96PNGTrueColor"
    assert lua.eval("tostring(i:type('Grayscale'))") == "gm.Image(9x6, Grayscale)"
    assert lua.eval("package.loaded.gm == gm and gm == _G.gm")


@pytest.mark.parametrize("kind", ["byte", "float", "double"])
@pytest.mark.parametrize("dims", ["HWD", "DHW", "DWH", "WHD", "HDW", "WDH"])
def test_tensors(lua: Runtime, path: str, pixels: Any, kind: str, dims: str) -> None:
    lua.globals()["path"] = path
    lua.execute(f"x = gm.Image(path):toTensor('{kind}', 'BGR', '{dims}')")
    wanted = pixels[:, :, ::-1].transpose(["HWD".index(letter) for letter in dims])
    found = array(lua, "x")
    dtypes = {"byte": np.uint8, "float": np.float32, "double": np.float64}
    assert found.dtype == dtypes[kind]
    assert np.abs(found - (wanted if kind == "byte" else wanted / 255)).max() < 1e-7
    lua.execute(f"y = gm.Image(x, 'BGR', '{dims}'):toTensor()")
    assert (array(lua, "y") == pixels).all()


def test_planes(lua: Runtime, path: str, pixels: Any) -> None:
    lua.globals()["path"] = path
    lua.execute("i = gm.Image(path)")
    grey = np.asarray(Image.fromarray(pixels).convert("L"))
    assert (array(lua, "i:toTensor('byte', 'I', 'HW')") == grey).all()
    assert (array(lua, "i:toTensor('byte', 'I', 'WH')") == grey.T).all()
    assert array(lua, "i:toTensor('byte', 'I', 'DHW')").shape == (1, 6, 9)
    assert (array(lua, "i:toTensor('byte', 'A', 'HW')") == 255).all()
    assert (array(lua, "i:toTensor('byte', 'GA')")[:, :, 0] == pixels[:, :, 1]).all()
    # Planes in another order, of two dimensions, of rows that are not contiguous.
    lua.execute("x = torch.rand(5, 7) a = gm.Image(x:t()):toTensor('double', 'I', 'HW')")
    assert np.abs(array(lua, "a") - array(lua, "x").T).max() <= 0.5 / 255 + 1e-12
    lua.execute("r = torch.rand(3, 8, 9) b = gm.Image(r):toTensor('float', 'RGB', 'DHW')")
    assert np.abs(array(lua, "b") - array(lua, "r")).max() <= 0.5 / 255 + 1e-7
    lua.execute("q = gm.Image(torch.ByteTensor(2, 3, 4):fill(7))")
    assert lua.eval("q:type()") == "TrueColorMatte" and lua.eval("q:toTensor('byte', 'RGBA'):max()") == 7


def test_changes(lua: Runtime, path: str, pixels: Any) -> None:
    lua.globals()["path"] = path
    lua.execute("i = gm.Image(path)")
    picture = Image.fromarray(pixels)
    for change, wanted in {
        "flip()": pixels[::-1], "flop()": pixels[:, ::-1], "crop(4, 3, 2, 1)": pixels[1:4, 2:6],
        "crop(40, 30, 2, 1)": pixels[1:, 2:], "negate()": 255 - pixels, "rotate(90)": np.rot90(pixels, -1),
        "addBorder(1, 2, 'red')": np.pad(pixels, ((2, 2), (1, 1), (0, 0)), constant_values=0),
        "unsharpMask(0, 1.5, 0.5, 0.02)": np.asarray(picture.filter(ImageFilter.UnsharpMask(1.5, 50, 5))),
        "blur(0, 2)": np.asarray(picture.filter(ImageFilter.GaussianBlur(2))),
        "size(18, 12, 'Point')": pixels.repeat(2, 0).repeat(2, 1), "size(9, 6):flop():flop()": pixels,
    }.items():  # fmt: skip
        found = array(lua, f"i:clone():{change}:toTensor()").astype(int)
        if change.startswith("addBorder"):
            assert found[0, 0].tolist() == [255, 0, 0]
            found = found[2:-2, 1:-1]
            wanted = pixels
        assert (found == wanted).all(), change
    for size, wanted in {"18": (18, 12), "nil, 3": (5, 3), "30, 40": (30, 40)}.items():
        lua.execute(f"w, h = i:clone():size({size}):size()")
        assert (lua.eval("w"), lua.eval("h")) == wanted
    for name in ["sharpen(0,1)", "equalize()", "normalize()", "despeckle()", "enhance()", "modulate(1,1,2)"]:
        assert array(lua, f"i:clone():{name}:toTensor()").shape == (6, 9, 3)
        lua.execute(f"x = i:clone():type('TrueColorMatte'):{name}:toTensor('byte', 'RGBA')")
        assert array(lua, "x").shape == (6, 9, 4)
    assert array(lua, "i:clone():rotate(30, 1, 0, 0):toTensor()")[0, 0].tolist() == [255, 0, 0]
    # What was cloned is as it was.
    assert (array(lua, "i:toTensor()") == pixels).all()


def test_files_in_memory_and_on_disk(lua: Runtime, path: str, pixels: Any, tmp_path: Path) -> None:
    lua.globals()["path"], lua.globals()["folder"] = path, str(tmp_path)
    lua.execute("""
    i = gm.Image(path)
    i:quality(30):save(folder .. '/low.jpg') i:save(folder .. '/high.jpg', 95):save(folder .. '/b.png')
    s = i:toString() b, n = i:toBlob()
    back = gm.Image():fromString(s):toTensor() also = gm.Image():fromBlob(b)
    j = i:format('JPEG'):toString(90)
    gm.convert{input = path, output = folder .. '/c.png', size = '3x2', vflip = true}
    """)
    assert (np.asarray(Image.open(tmp_path / "b.png")) == pixels).all()
    assert (tmp_path / "low.jpg").stat().st_size < (tmp_path / "high.jpg").stat().st_size
    assert (array(lua, "back") == pixels).all() and (array(lua, "also:toTensor()") == pixels).all()
    assert lua.eval("b:size(1) == n and n == #s") and lua.eval("j:sub(7, 10)") == "JFIF"
    assert Image.open(tmp_path / "c.png").size == (3, 2)


def test_blobs_as_strings(lua: Runtime, path: str, pixels: Any) -> None:
    lua.globals()["path"] = path
    lua.execute("""
    local file = io.open(path, 'rb') s = file:read '*a' file:close()
    x = gm.Image():fromBlob(s, #s):toTensor()
    local blob, count = gm.Image(path):toBlob()
    y = gm.Image():fromBlob(torch.cat(blob, blob):narrow(1, 1 + blob:size(1), count), count):toTensor()
    """)
    assert (array(lua, "x") == pixels).all() and (array(lua, "y") == pixels).all()
    assert_error(lua, "gm.Image():fromBlob(s, #s + 1)", "gm.Image.fromBlob: count must be")


def test_gamma(lua: Runtime, path: str, pixels: Any, tmp_path: Path) -> None:
    lua.globals()["path"], lua.globals()["folder"] = path, str(tmp_path)
    lua.execute("""
    Image = require 'graphicsmagick.Image'
    all = Image(path):gammaCorrection(2.2):toTensor() red = Image(path):gammaCorrection(0.5, 'Red'):toTensor()
    before = Image(path):gamma()
    after = gm.Image():fromString(Image(path):gamma(0.45455):toString()):gamma()
    """)
    assert (array(lua, "all") == np.rint(255 * (pixels / 255) ** (1 / 2.2))).all()
    wanted = pixels.copy()
    wanted[:, :, 0] = np.rint(255 * (pixels[:, :, 0] / 255) ** 2)
    assert (array(lua, "red") == wanted).all()
    assert lua.eval("before") == 0 and abs(lua.eval("after") - 0.45455) < 1e-9
    assert_error(lua, "Image(path):gammaCorrection(0)", "gamma must be > 0")
    assert_error(lua, "Image(path):gammaCorrection(1, 'Cyan')", "plane must be")


def test_parts_by_their_own_names(lua: Runtime, path: str) -> None:
    lua.globals()["path"] = path
    assert lua.eval("require 'graphicsmagick.info'(path).width") == 9
    assert lua.eval("require 'graphicsmagick.convert' == gm.convert")


def test_jpeg_files(lua: Runtime, tmp_path: Path) -> None:
    lua.globals()["folder"] = str(tmp_path)
    lua.execute("""
    i = gm.Image(torch.rand(3, 16, 16), 'RGB', 'DHW')
    i:save(folder .. '/a.jpg') i:interlace('Plane'):samplingFactors(1, 1):clone():save(folder .. '/b.jpg')
    i:interlace('None'):samplingFactors({2, 1}):save(folder .. '/c.jpg')
    """)
    a, b, c = (Image.open(tmp_path / f"{name}.jpg") for name in "abc")
    assert [("progressive" in x.info) for x in (a, b, c)] == [False, True, False]
    assert [JpegImagePlugin.get_sampling(x) for x in (b, c)] == [0, 1]
    assert lua.eval("i:interlace() == 'None' and i:samplingFactors() == '2x1'")
    # A list of three has the samples of each plane, in both directions.
    assert lua.eval("i:samplingFactors({2.0, 1.0, 1.0}):samplingFactors() == '2x2'")
    assert lua.eval("i:samplingFactors({1, 1, 1}):samplingFactors() == '1x1'")
    assert_error(lua, "i:samplingFactors(3, 1)", "gm.Image.samplingFactors: factors must be")
    assert_error(lua, "i:interlace('x')", "gm.Image.interlace: kind must be")


def test_profiles(lua: Runtime, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010E] = "a title"
    Image.new("RGB", (2, 2)).save(tmp_path / "e.jpg", exif=exif)
    lua.globals()["path"] = str(tmp_path / "e.jpg")
    lua.execute("i = gm.Image(path) e = i:profile('exif') i:size(1, 1):save(path) j = gm.Image(path)")
    assert lua.eval("j:profile('EXIF') == e and #e > 10")
    assert Image.open(tmp_path / "e.jpg").getexif()[0x010E] == "a title"
    assert lua.eval("j:removeProfile('exif'):profile('exif')") is None
    assert lua.eval("j:addProfile('icc', 'abc'):profile('icc')") == "abc"


def test_pictures_of_other_kinds(lua: Runtime, tmp_path: Path) -> None:
    ramp = np.arange(6, dtype=np.uint16).reshape(2, 3) * 13107
    Image.fromarray(ramp).save(tmp_path / "deep.png")
    palette = Image.new("P", (2, 1))
    palette.putpalette([10, 20, 30, 40, 50, 60])
    palette.putpixel((1, 0), 1)
    palette.save(tmp_path / "p.png")
    lua.globals()["folder"] = str(tmp_path)
    lua.execute("d, p = gm.Image(folder .. '/deep.png'), gm.Image(folder .. '/p.png')")
    assert array(lua, "d:toTensor('byte', 'I', 'HW')").tolist() == [[0, 51, 102], [153, 204, 255]]
    assert lua.eval("d:depth()") == 16 and lua.eval("p:type()") == "Palette"
    assert array(lua, "p:toTensor()").tolist() == [[[10, 20, 30], [40, 50, 60]]]
    assert array(lua, "p:size(4, 2, 'Point'):toTensor()")[1, 3].tolist() == [40, 50, 60]
    assert array(lua, "d:size(6, 4, 'Point'):toTensor('byte', 'I', 'HW')")[3, 5] == 255


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("gm.Image('/no/file.png')", "gm.Image.load: /no/file.png: No such file or directory"),
        ("gm.Image():size()", "gm.Image.size: no picture is loaded"),
        ("gm.Image():fromString('abc')", "gm.Image.fromString: not a picture of a known format"),
        ("gm.Image(torch.rand(5, 5, 5))", "gm.Image.fromTensor: tensor must be a tensor of 1 to 4 planes"),
        (
            "gm.Image(torch.rand(4, 4), 'RGB')",
            "must have 3 planes for colorspace 'RGB' (got DoubleTensor [4x4x1])",
        ),
        ("gm.Image(torch.rand(4, 4)):crop(2, 2, 5, 0)", "gm.Image.crop: 2x2 at (5, 0) is outside of 4x4"),
        ("gm.Image(torch.rand(4, 4)):size(1e9, 1e9)", "an image of at most 268435456 pixels"),
        ("gm.Image(torch.rand(4, 4)):addBorder(1e9)", "gm.Image.addBorder: expected an image of at most"),
        ("gm.Image(torch.rand(4, 4)):size(2, 2, 'X')", "gm.Image.size: unknown filter 'X'"),
        (
            "gm.Image(torch.rand(4, 4)):toTensor('int')",
            "type must be one of 'byte', 'float', 'double' (got 'int')",
        ),
        ("gm.Image(torch.rand(4, 4)):toTensor('byte', 'XYZ')", "colorspace must be letters of 'RGBA'"),
        (
            "gm.Image(torch.rand(4, 4)):toTensor('byte', 'RGB', 'HW')",
            "dims must be the letters 'HWD' in any order",
        ),
        (
            "gm.Image(torch.rand(4, 4)):save('/no/folder/a.png')",
            "/no/folder/a.png: No such file or directory",
        ),
        ("gm.Image(torch.rand(4, 4)):save('a.xyz')", "files of the format 'xyz' cannot be written"),
        ("gm.Image(torch.rand(4, 4)):type('X')", "gm.Image.type: type must be one of Bilevel"),
        ("gm.convert{input = 'a', output = 'b', sise = 3}", "gm.convert: there is no option 'sise'"),
        (
            "gm.Image(torch.rand(2, 2)):addBorder(1, 1, 'nocolour')",
            "gm.Image.addBorder: unknown color specifier",
        ),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)


def test_large_files_are_read_at_a_smaller_scale(lua: Runtime, tmp_path: Path) -> None:
    out = io.BytesIO()
    Image.new("RGB", (800, 400), "green").save(out, "JPEG")
    (tmp_path / "a.jpg").write_bytes(out.getvalue())
    lua.globals()["path"] = str(tmp_path / "a.jpg")
    lua.execute("w, h = gm.Image(path, 100, 100):size()")
    assert lua.eval("w") < 800 and lua.eval("h") >= 100


# The numbers of GraphicsMagick 1.3 for grey, red, green, blue and (51, 102, 204).
LUMA = [
    [0.2, 0.5, 0.5], [0.299, 0.3526, 1], [0.587, 0.2105, 0], [0.114, 0.9369, 0.4], [0.3858, 0.7042, 0.337],
]  # fmt: skip


@pytest.mark.parametrize(
    ("colorspace", "wanted"),
    [
        ("LAB", LUMA),
        ("YUV", LUMA),
        ("HSL", [[0, 0, 0.2], [0, 1, 0.5], [0.3333, 1, 0.5], [0.6667, 1, 0.5], [0.6111, 0.6, 0.5]]),
        ("HWB", [[0, 0.2, 0.8], [0, 0, 0], [0.3333, 0, 0], [0.6667, 0, 0], [0.6111, 0.2, 0.2]]),
    ],
)
def test_colorspaces(lua: Runtime, colorspace: str, wanted: list[list[float]]) -> None:
    lua.execute("""
        x = torch.DoubleTensor{{51, 51, 51}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {51, 102, 204}}:div(255)
        i = gm.Image(x:view(1, 5, 3))
    """)
    found = array(lua, f"i:toTensor('double', '{colorspace}')[1]")
    assert np.abs(found - wanted).max() < 1e-4
    grey = array(lua, f"i:toTensor('byte', '{colorspace}')[1][1]")
    assert grey.tolist() == [(65535 * value + 0.5) // 257 for value in wanted[0]]
    # Colours whose planes are not cut come back.
    back = array(lua, f"gm.Image(i:toTensor('double', '{colorspace}'), '{colorspace}'):toTensor()[1]")
    assert back[[0, 4]].tolist() == [[51, 51, 51], [51, 102, 204]]


def test_colours_of_borders_and_corners(lua: Runtime) -> None:
    """As the original gives them: black by default, and a colour makes a grey picture one of colours."""
    lua.execute("g = torch.ByteTensor(2, 2):fill(100)")
    for change, corner in {
        "addBorder(1, 1)": [0, 0, 0], "addBorder(1, 1, 1, 0, 0)": [255, 0, 0],
        "addBorder(1, 1, nil, 1)": [0, 255, 0],
        "addBorder(1, 1, 1)": [255, 0, 0], "rotate(30)": [0, 0, 0], "rotate(30, 0, 1, 0)": [0, 255, 0],
    }.items():  # fmt: skip
        lua.execute(f"i = gm.Image(g):{change}")
        assert array(lua, "i:toTensor()")[0, 0].tolist() == corner
        assert lua.eval("i:type()") == ("TrueColor" if any(corner) else "Grayscale")
