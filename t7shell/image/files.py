"""Reading and writing files of pictures with Pillow, between files and planes of elements in memory."""

from __future__ import annotations

import ctypes
import io
import os
import stat
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from t7shell.memory import vector

Array = np.ndarray[Any, Any]

# The modes of Pillow whose channels are planes as they are; others are converted to one of them.
_PLANES = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_DEEP = ("I;16", "I;16B", "I;16L", "I")
_JPEG_SIDE = 65500  # what libjpeg writes; it tells of more on the error stream itself
_KINDS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "ppm": "PPM", "pgm": "PPM"}
# Pictures of cameras take less than half of the default's time, and a sixth more bytes; noise is stored.
_PNG_OPTIONS = {"compress_level": 1}


def open_file(path: str) -> tuple[Any, ...]:
    """(picture, width, height, planes, bits, kind) of a file, or (None, message). Only its head is read."""
    try:
        return _opened(Image.open(os.fsdecode(path.encode("latin-1"))))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as reason:
        return None, _message(reason)


def open_bytes(address: float, count: float) -> tuple[Any, ...]:
    """The same for a file in memory, which is copied."""
    try:
        return _opened(Image.open(io.BytesIO(ctypes.string_at(int(address), int(count)))))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as reason:
        return None, _message(reason)


def _opened(picture: Image.Image) -> tuple[Any, ...]:
    mode = _mode_of(picture)
    bits = 16 if mode in _DEEP else 8
    kind = (picture.format or "").lower()
    return picture, picture.width, picture.height, _PLANES.get(mode, 1), bits, kind


def _mode_of(picture: Image.Image) -> str:
    """The mode that a picture is read in: its own, or what it is converted to."""
    mode = picture.mode
    if mode in _PLANES or mode in _DEEP or mode == "F":
        return mode
    if mode == "1":
        return "L"
    if "transparency" in picture.info or mode in ("PA", "RGBa"):
        return "RGBA"
    return "LA" if mode == "La" else "RGB"


def _message(reason: Exception) -> str:
    if isinstance(reason, UnidentifiedImageError):
        return "not a picture of a known format"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__


def read(
    picture: Image.Image, address: float, dtype: str, planes: float, height: float, width: float
) -> str | None:
    """Writes the planes of a picture to memory, which has room for such sizes; why that failed, or None."""
    mode = _mode_of(picture)
    try:
        values = np.asarray(picture if picture.mode == mode else picture.convert(mode))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as reason:
        return _message(reason)
    finally:
        picture.close()
    source = (values if values.ndim == 3 else values[..., None]).transpose(2, 0, 1)
    if source.shape != (planes, height, width):
        # Some formats tell the sizes of another picture in the file.
        return f"sizes {source.shape} where the head of the file says {int(planes), int(height), int(width)}"
    target = vector(int(address), dtype, source.size, np.dtype(dtype).itemsize).reshape(source.shape)
    white = 65535 if mode in _DEEP else 255
    if mode == "F":
        np.copyto(target, source * 255 if dtype == "uint8" else source, casting="unsafe")
    elif dtype != "uint8":
        np.divide(source, np.array(white, dtype), out=target, casting="unsafe")
    elif white == 255:
        np.copyto(target, source)
    else:
        np.copyto(target, source >> 8, casting="unsafe")
    return None


def _as_bytes(address: float, dtype: str, planes: int, height: int, width: int) -> Array:
    """Rows of pixels of planes in memory. Fractions of white lose what is below a step of 1/255."""
    kind = np.dtype(dtype)
    source = vector(int(address), dtype, planes * height * width, kind.itemsize)
    pixels = np.empty((height, width, planes), np.uint8)
    if dtype == "uint8":
        np.copyto(pixels, source.reshape(planes, height, width).transpose(1, 2, 0))
        return pixels
    # What was divided by 255 gets its byte back, rounded down or up.
    slack = 3e-5 if dtype == "float32" else 1e-9
    steps = np.empty((height, width), kind)
    within = bool(source.min() >= 0 and source.max() <= 1)
    for plane, values in enumerate(source.reshape(planes, height, width)):
        if not within:
            # Of fmax and fmin, nan comes out as black.
            values = np.fmin(np.fmax(values, 0, out=steps), 1, out=steps)
        np.add(np.multiply(values, 255, out=steps), slack, out=steps)
        pixels[..., plane] = steps
    return pixels


def _check_planes(kind: str, planes: int) -> None:
    if kind == "pgm" and planes != 1:
        raise ValueError(f"1 plane expected, got {planes}")
    if _KINDS.get(kind) in ("JPEG", "PPM") and planes in (2, 4):
        raise ValueError(f"1 or 3 planes expected, got {planes}")
    if planes not in (1, 2, 3, 4):
        raise ValueError(f"1 to 4 planes expected, got {planes}")


def _format_of(kind: str) -> str | None:
    """Pillow's name of a format that can be written, by the extension of files."""
    known = _KINDS.get(kind)
    if not known:
        known = Image.registered_extensions().get("." + kind)
    return known if known in _KINDS.values() or known in Image.SAVE else None


def can_save(kind: str) -> bool:
    """Whether files of an extension can be written."""
    return _format_of(kind) is not None


def _write(file: Any, kind: str, pixels: Array, quality: float) -> None:
    form, planes = _format_of(kind), pixels.shape[2]
    _check_planes(kind, planes)
    if form == "JPEG" and max(pixels.shape) > _JPEG_SIDE:
        height, width = pixels.shape[:2]
        raise ValueError(f"at most {_JPEG_SIDE} rows and columns expected, got {height}x{width}")
    options = {"quality": int(quality)} if form == "JPEG" else _PNG_OPTIONS if form == "PNG" else {}
    Image.fromarray(pixels[..., 0] if planes == 1 else pixels).save(file, form, **options)


def _replace(path: bytes, content: bytes) -> None:
    """Makes `content` the content of a file. Some file systems flush one that is emptied first to the disk,
    which takes longer than making a picture."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(content)
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.truncate()


def save(
    path: str,
    kind: str,
    address: float,
    dtype: str,
    planes: float,
    height: float,
    width: float,
    quality: float,
) -> str | None:
    """Writes a file of the kind that an extension stands for; why that failed, or None."""
    content = encode(kind, address, dtype, planes, height, width, quality)
    if isinstance(content, tuple):
        return str(content[1])
    try:
        _replace(path.encode("latin-1"), content)
    except OSError as reason:
        return _message(reason)
    return None


def encode(
    kind: str, address: float, dtype: str, planes: float, height: float, width: float, quality: float
) -> bytes | tuple[None, str]:
    """The bytes of a file of that kind; (None, message) where there can be none."""
    out = io.BytesIO()
    try:
        _write(out, kind, _as_bytes(address, dtype, int(planes), int(height), int(width)), quality)
    except (OSError, ValueError, KeyError) as reason:
        return None, _message(reason)
    return out.getvalue()
