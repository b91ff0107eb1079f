"""Pictures of files and of tensors, as objects of Pillow."""

from __future__ import annotations

import io
import os
import struct
from typing import Any

import numpy as np
from PIL import Image, PngImagePlugin, UnidentifiedImageError

from t7shell.host import encoding
from t7shell.host.atomic_write import replacing
from t7shell.host.failures import message, returning_failures
from t7shell.host.memory import vector
from t7shell.packages.exchange.values import Reader
from t7shell.packages.image.opening import open_picture

Picture = Image.Image
Failure = tuple[None, str]

FAILURES = (OSError, ValueError, KeyError, SyntaxError, TypeError, MemoryError, OverflowError,
            Image.DecompressionBombError)  # fmt: skip
# Pillow's readers raise many exceptions for damaged files.
_UNREADABLE = Exception
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
TYPES = {
    "Bilevel": "1", "Grayscale": "L", "GrayscaleMatte": "LA", "Palette": "P", "TrueColor": "RGB",
    "TrueColorMatte": "RGBA", "ColorSeparation": "CMYK",
}  # fmt: skip
COLORSPACES = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK", "YCbCr": "YCbCr", "LAB": "LAB", "HSV": "HSV"}
_DEPTHS = {"1": 1, "I": 32, "F": 32, "I;16": 16, "I;16B": 16, "I;16L": 16}
_SUBSAMPLING = {"1x1": "4:4:4", "2x1": "4:2:2", "2x2": "4:2:0"}
_PROFILES = {"icc": "icc_profile", "icm": "icc_profile", "exif": "exif", "xmp": "xmp"}


def words_of(reason: Exception) -> str:
    """The message of an exception of Pillow."""
    known = not isinstance(reason, UnidentifiedImageError)
    return message(reason) if known else "not a picture of a known format"


def _loaded(picture: Picture) -> Picture:
    picture.load()
    return picture


@returning_failures(_UNREADABLE, words=words_of)
def open(path: str, width: float | None, height: float | None) -> Picture | Failure:
    """The picture of a file; JPEG files are read at the smallest scale that is not below width x height."""
    picture = open_picture(encoding.path_of(path))
    if width and height:
        picture.draft(None, (int(width), int(height)))
    return _loaded(picture)


@returning_failures(_UNREADABLE, words=words_of)
def decode(content: str) -> Picture | Failure:
    """The picture in the bytes of a file."""
    return _loaded(open_picture(io.BytesIO(content.encode("latin-1"))))


def make(address: float, height: float, width: float, planes: float) -> Picture:
    """A picture of bytes, height x width x planes, which are copied."""
    shape = int(height), int(width), int(planes)
    values = vector(int(address), "uint8", shape[0] * shape[1] * shape[2], 1).reshape(shape)
    return Image.fromarray(values[:, :, 0].copy() if planes == 1 else values.copy(), _MODES[int(planes)])


@returning_failures(*FAILURES, words=words_of)
def pixels(picture: Picture, planes: float) -> Reader | Failure:
    """The bytes of a picture with 1 to 4 planes: height x width x planes."""
    values = np.asarray(_eight_bits(picture).convert(_MODES[int(planes)]))
    return Reader(values.reshape(picture.height, picture.width, int(planes)))


def _eight_bits(picture: Picture) -> Picture:
    """Scales 16-bit pictures to 8 bits; the conversion of Pillow would clip them at 255."""
    if picture.mode.startswith("I"):
        steps = np.asarray(picture).astype(np.float64) / 257 + 0.5
        return Image.fromarray(steps.clip(0, 255).astype(np.uint8))
    return picture


def _options(
    picture: Picture, form: str, quality: float | None, progressive: bool, sampling: str | None
) -> dict[str, Any]:
    kept = {key: picture.info[key] for key in ("icc_profile", "exif", "xmp") if picture.info.get(key)}
    if quality is not None and form in ("JPEG", "WEBP", "AVIF", "JPEG2000"):
        kept["quality"] = int(quality)
    if form == "PNG" and 0 < picture.info.get("gamma", 0) < 2**32 / 100000:
        kept["pnginfo"] = PngImagePlugin.PngInfo()
        kept["pnginfo"].add(b"gAMA", struct.pack(">I", round(picture.info["gamma"] * 100000)))
    if form == "JPEG":
        kept["progressive"] = progressive
        if sampling is not None:
            kept["subsampling"] = _SUBSAMPLING[sampling]
    return kept


def _writable(picture: Picture, form: str) -> Picture:
    """JPEG files have no transparency and no palette."""
    if form == "JPEG" and picture.mode not in ("1", "L", "RGB", "CMYK", "YCbCr"):
        return picture.convert("L" if picture.mode == "LA" else "RGB")
    return picture.convert("RGB") if picture.mode in ("LAB", "HSV") else picture


def _encoded(picture: Picture, form: str, *options: Any) -> bytes:
    out = io.BytesIO()
    _writable(picture, form).save(out, form, **_options(picture, form, *options))
    return out.getvalue()


def _form(name: str) -> str:
    Image.init()
    known = Image.EXTENSION.get("." + name.lower(), name.upper())
    if known not in Image.SAVE:
        raise ValueError(f"files of the format '{name}' cannot be written")
    return known


@returning_failures(*FAILURES, words=words_of)
def write(picture: Picture, path: str, *options: Any) -> bool | Failure:
    """Writes a file whose extension determines the format; see `encode` for the options."""
    extension = os.path.splitext(encoding.path_of(path))[1][1:]
    content = _encoded(picture, _form(extension or picture.format or "PNG"), *options)
    with replacing(path, sync=False) as file:
        file.write(content)
    return True


@returning_failures(*FAILURES, words=words_of)
def encode(picture: Picture, form: str | None, *options: Any) -> bytes | Failure:
    """The bytes of a file of a format, the picture's own without one.

    Options are the quality, 0 to 100 or None, whether a JPEG file is progressive, and how many pixels of it,
    '1x1', '2x1', '2x2' or None, share a colour.
    """
    return _encoded(picture, _form(form or picture.format or "PNG"), *options)


def size(picture: Picture) -> tuple[float, float]:
    """Width and height."""
    return float(picture.width), float(picture.height)


def property(picture: Picture, name: str) -> str | float:
    """'format', 'type' or 'colorspace' as a name of GraphicsMagick, 'depth' in bits, or 'gamma'."""
    if name == "format":
        return picture.format or ""
    if name == "gamma":
        return float(picture.info.get("gamma", 0))
    if name == "depth":
        return float(_DEPTHS.get(picture.mode, 8))
    names = TYPES if name == "type" else COLORSPACES
    grey = picture.mode in ("1", "LA", "La", "I", "F") or picture.mode.startswith("I;")
    default = ("Grayscale" if grey else "TrueColor") if name == "type" else "GRAY" if grey else "RGB"
    return next((known for known, mode in names.items() if mode == picture.mode), default)


def profile(picture: Picture, name: str) -> bytes | None:
    """The bytes of a profile, 'icc', 'exif' or 'xmp'; None if there is none."""
    content = picture.info.get(_PROFILES.get(name.lower(), name.lower()))
    if isinstance(content, str):
        return content.encode("utf-8")
    return content if isinstance(content, bytes) else None


def set_gamma(picture: Picture, gamma: float) -> None:
    """Sets the exponent for a display, which PNG files store."""
    picture.info["gamma"] = gamma


def set_profile(picture: Picture, name: str, content: str | None = None) -> Picture | Failure:
    """The picture with a profile, or without it."""
    key = _PROFILES.get(name.lower())
    if not key:
        return None, f"profile must be one of {', '.join(sorted(_PROFILES))} (got '{name}')"
    picture.info.pop(key, None)
    if content:
        picture.info[key] = content.encode("latin-1")
    return picture
