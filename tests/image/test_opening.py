"""Pictures of others: no content and no name of a file starts a program."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from PIL import Image

from t7shell.packages.image.opening import READABLE, open_picture

from ..conftest import Run

POSTSCRIPT = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 20 20
(MARK) (w) file closefile showpage
%%EOF
"""
CALLS = [
    "image.load(path)",
    "image.loadPNG(path)",
    "image.loadJPG(path)",
    "image.getSize(path)",
    "image.decompressPNG(bytes)",
    "image.decompressJPG(bytes)",
    "image.decompress(bytes)",
    "gm.Image(path)",
    "gm.Image(path, 10, 10)",
    "gm.Image():load(path)",
    "gm.Image():fromString(text)",
    "gm.info(path)",
    "gm.load(path)",
]


def iptc(content: bytes) -> bytes:
    """A file of news photos that holds another picture, which its reader opens by content."""
    fields = [
        (b"\x03\x3c", b"\x01\x00"),
        (b"\x03\x14", b"\0\x14"),
        (b"\x03\x1e", b"\0\x14"),
        (b"\x03\x78", b"\x01"),
    ]
    head = b"".join(b"\x1c" + tag + len(data).to_bytes(2, "big") + data for tag, data in fields)
    return head + b"\x1c\x08\x0a" + len(content).to_bytes(2, "big") + content


@pytest.mark.one_in(3)
@pytest.mark.parametrize("content", [POSTSCRIPT, iptc(POSTSCRIPT)], ids=["eps", "iptc"])
@pytest.mark.parametrize("name", ["x.png", "x.jpg", "x.eps", "x.ppm", "x"])
def test_no_picture_starts_ghostscript(t7: Run, tmp_path: Path, name: str, content: bytes) -> None:
    mark, programs = tmp_path / "mark", tmp_path / "programs"
    programs.mkdir()
    for program in ("gs", "gswin64c", "convert", "magick"):
        (programs / program).write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        (programs / program).chmod(0o755)
    path = tmp_path / name
    path.write_bytes(content.replace(b"MARK", str(mark).encode()))
    source = f"""
        require 'image'
        gm = require 'graphicsmagick'
        path = '{path}'
        local file = io.open(path, 'rb')
        text = file:read '*a'
        file:close()
        bytes = torch.ByteTensor(torch.ByteStorage():string(text))
        for i, call in ipairs(arg) do
           local fine, message = pcall(loadstring(call))
           print(i, fine, (tostring(message):gsub('.*: ', '')))
        end"""
    script = tmp_path / "script.lua"
    script.write_text(source)
    done = t7(str(script), *CALLS, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    assert not mark.exists()
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [int(line[0]) for line in lines] == list(range(1, len(CALLS) + 1))
    assert all(line[1] == "false" for line in lines), done.stdout


def test_the_formats_that_are_read(tmp_path: Path) -> None:
    """Each is one that Pillow has, and what it writes of them comes back, whatever the name says."""
    Image.init()
    assert set(READABLE) <= set(Image.OPEN)
    assert not {"EPS", "IPTC", "WMF", "BUFR", "GRIB", "HDF5", "MPEG", "FITS"} & set(READABLE)
    picture = Image.new("RGB", (20, 20), (200, 10, 20))
    for form in sorted(set(READABLE) & set(Image.SAVE)):
        mode = "P" if form == "GIF" else "1" if form in ("MSP", "XBM") else "RGB"
        out = io.BytesIO()
        picture.convert(mode).save(out, form)
        (tmp_path / "x.txt").write_bytes(out.getvalue())
        with open_picture(str(tmp_path / "x.txt")) as found:
            assert found.size == (20, 20) or form in ("ICO", "ICNS"), form
            found.load()
