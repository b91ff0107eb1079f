"""Under the dialect th, files that Torch7's image.load refused are refused, for its reasons."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from t7shell.engine.engine import Engine

PBM = b"P1\n2 2\n1 0 0 1\n"


def encoded(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (3, 2), "white").save(out, kind)
    return out.getvalue()


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine("th")
    assert engine.execute("require 'image'").ok
    return engine


def tried(engine: Engine, call: str) -> str:
    with engine.capture() as out:
        assert engine.execute(f"print(select(2, pcall(function() return image.{call} end)))").ok
    return out[0]


@pytest.mark.parametrize(
    ("name", "content", "loader", "reason"),
    [
        ("x.pbm", PBM, "load", "unknown image type: pbm"),
        ("x.bmp", encoded("BMP"), "load", "unknown image type: bmp"),
        ("x.gif", encoded("GIF"), "load", "unknown image type: gif"),
        ("x", PBM, "load", "unable to determine image type for file"),
        (
            "x.png",
            encoded("PNG")[:20] + b"damage" + encoded("PNG")[26:],
            "load",
            "Error during init_io: the header of the PNG is damaged",
        ),
        ("x.png", encoded("GIF"), "load", "is not recognized as a PNG file"),
        ("x.png", encoded("JPEG"), "loadPNG", "is not recognized as a PNG file"),
        ("x.jpg", PBM, "load", "Not a JPEG file: starts with 0x50 0x31"),
        ("x.jpg", b"", "load", "Empty input file"),
        ("x.JPEG", encoded("PNG"), "loadJPG", "Not a JPEG file: starts with 0x89 0x50"),
        ("x.ppm", PBM, "load", "unsupported magic number: P1"),
        ("x.pgm", b"xyz", "load", "corrupted file"),
        ("x.pgm", b"P5 3 x 255", "load", "damaged picture: expected a number (got 'x')"),
        ("x.ppm", encoded("PNG"), "getPPMsize", "corrupted file"),
        ("x.bmp", encoded("BMP"), "getSize", "unknown image type: bmp"),
    ],
)
def test_refused(engine: Engine, tmp_path: Path, name: str, content: bytes, loader: str, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert tried(engine, f"{loader}('{path}')").rstrip("\n").rstrip("\t").endswith(reason)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "PPM"])
@pytest.mark.parametrize("name", ["x.bmp", "x", "x.png"])
def test_read_by_the_first_bytes(engine: Engine, tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(encoded(kind))
    assert tried(engine, f"load('{path}', 3, 'byte'):sum()") == f"{255 * 18}\t\n"


def test_other_dialects_read_more(tmp_path: Path) -> None:
    path = tmp_path / "x.pbm"
    path.write_bytes(PBM)
    engine = Engine()
    engine.execute("require 'image'")
    assert tried(engine, f"load('{path}'):sum()") == "2\n"
