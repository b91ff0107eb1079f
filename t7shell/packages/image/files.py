"""Reading and writing files of pictures with Pillow, between files and pixels in memory.

Pixels are bytes of 1, 2 or 4 planes; those of 3 planes are padded to 4. In pictures of 16 bits they are
integers of 32 bits, in those of 32 bits floats. Functions whose work fails return (None, message).
"""

from __future__ import annotations

import ctypes
import io
import re
import threading
from typing import Any

from PIL import Image, UnidentifiedImageError

from t7shell.host import encoding
from t7shell.host.atomic_write import replacing
from t7shell.host.failures import message, returning_failures, returning_reasons, text_of
from t7shell.host.memory import vector
from t7shell.packages.image import deep_png
from t7shell.packages.image.opening import open_picture

# The modes of Pillow whose channels are planes, and the other modes that are read.
_PLANES = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_MODES = {planes: mode for mode, planes in _PLANES.items()}
_BITS = {"I": 16, "F": 32}
# The layout of their pixels in memory is that of Pillow, which is fastest.
_RAW = {"L": "L", "LA": "LA", "RGB": "RGBX", "RGBA": "RGBA", "I": "I", "F": "F"}
_CELL = {"L": 1, "LA": 2, "RGB": 4, "RGBA": 4}
_JPEG_SIDE = 65500  # the limit of libjpeg, which reports larger sizes on the error stream itself
_KINDS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "ppm": "PPM", "pgm": "PPM"}
# Photographs take less than half the time of the default level, and 17 % more bytes.
_PNG_OPTIONS = {"compress_level": 1}
# Pillow's readers raise many exceptions for damaged files: SyntaxError, struct.error, KeyError ...
_UNREADABLE = Exception
_NO_NUMBER = re.compile(r"invalid literal for int\(\) with base 10: b?(.*)$", re.DOTALL)


# Sizes are compared with a limit of our own, which programs can raise.
Image.MAX_IMAGE_PIXELS = None
_limit = 2.0**28


def limit(pixels: float | None) -> float:
    """Sets the maximum number of pixels of a picture in a file, if given; returns it."""
    global _limit
    if pixels is not None:
        _limit = pixels
    return _limit


def _message(reason: Exception) -> str:
    if isinstance(reason, UnidentifiedImageError):
        return "unknown image type: not a picture of a known format"
    number = _NO_NUMBER.match(str(reason))
    return f"damaged picture: expected a number (got {number[1]})" if number else message(reason)


@returning_failures(_UNREADABLE, words=_message)
def head(path: str) -> tuple[Any, ...]:
    """(planes, height, width) of a file, by its header alone."""
    with open_picture(encoding.path_of(path)) as picture:
        return _PLANES.get(_mode_of(picture), 1), picture.height, picture.width


@returning_failures(_UNREADABLE, words=_message)
def load(path: str) -> tuple[Any, ...]:
    """(address of pixels, planes, height, width, bits, keeper) of a file.

    Pixels of 16 bits lie plane by plane. They are valid while the keeper lives, until the next call in the
    same thread.
    """
    with open(encoding.path_of(path), "rb") as file:
        return _pixels_in(file)


@returning_failures(_UNREADABLE, words=_message)
def load_bytes(address: float, count: float) -> tuple[Any, ...]:
    """The pixels of a file in memory, which is copied."""
    return _pixels_in(io.BytesIO(ctypes.string_at(int(address), int(count))))


def _pixels_in(file: io.BufferedReader | io.BytesIO) -> tuple[Any, ...]:
    head = file.read(26)
    if deep_png.is_deep(head):
        channels = deep_png.decode(head + file.read())
        buffer = _buffer_of(channels.nbytes)
        address = ctypes.addressof(buffer)
        ctypes.memmove(address, channels.ctypes.data, channels.nbytes)
        return address, *channels.shape, 16, buffer
    file.seek(0)
    with open_picture(file) as picture:
        return _pixels_of(picture)


def _pixels_of(picture: Image.Image) -> tuple[Any, ...]:
    mode = _mode_of(picture)
    width, height = picture.size
    if width * height > _limit:
        raise ValueError(
            f"{height}x{width} pixels are more than the limit of {_limit:.0f}, which image.pixelLimit(n) sets"
        )
    picture.load()
    if picture.mode != mode:
        picture = picture.convert(mode)
    pixels = picture.tobytes("raw", _RAW[mode])
    buffer = _buffer_of(len(pixels))
    address = ctypes.addressof(buffer)
    ctypes.memmove(address, pixels, len(pixels))
    width, height = picture.size
    return address, _PLANES.get(mode, 1), height, width, _BITS.get(mode, 8), buffer


class _Kept(threading.local):
    """Memory that the loads of a thread reuse: the system would have to map new memory page by page."""

    buffer: Any = b""


_kept = _Kept()
_MAX_KEPT = 2**24


def _buffer_of(size: int) -> Any:
    """Memory for a number of bytes."""
    buffer = _kept.buffer
    if size > len(buffer):
        buffer = (ctypes.c_char * size)()
        if size <= _MAX_KEPT:
            _kept.buffer = buffer
    return buffer


def _mode_of(picture: Image.Image) -> str:
    """The mode in which a picture is read: the original one, or the one it is converted to."""
    mode = picture.mode
    if mode in _RAW:
        return mode
    if mode == "1":
        return "L"
    if mode.startswith("I;16"):
        return "I"
    if "transparency" in picture.info or mode in ("PA", "RGBa"):
        return "RGBA"
    return "LA" if mode == "La" else "RGB"


def _format_of(kind: str) -> str | None:
    """Pillow's name of a format that can be written, by the extension of files."""
    known = _KINDS.get(kind)
    if not known:
        known = Image.registered_extensions().get("." + kind)
    return known if known in _KINDS.values() or known in Image.SAVE else None


def can_save(kind: str) -> bool:
    """Whether files of an extension can be written."""
    return _format_of(kind) is not None


def size_error(kind: str, planes: float, height: float, width: float) -> str | None:
    """Why files of a kind cannot hold an image of such sizes, or None."""
    form = _format_of(kind)
    if kind == "pgm" and planes != 1:
        return f"expected 1 plane (got {int(planes)})"
    if form in ("JPEG", "PPM") and planes in (2, 4):
        return f"expected 1 or 3 planes (got {int(planes)})"
    if planes not in _MODES:
        return f"expected 1 to 4 planes (got {int(planes)})"
    if form == "JPEG" and max(height, width) > _JPEG_SIDE:
        return f"expected at most {_JPEG_SIDE} rows and columns (got {int(height)}x{int(width)})"
    return None


@returning_reasons(OSError, ValueError)
def save(
    path: str, kind: str, address: float, planes: float, height: float, width: float, quality: float
) -> None:
    """Writes pixels in memory to a file of the format of an extension; returns None, or why it failed."""
    content = encoded(kind, address, planes, height, width, quality)
    # Programs write pictures by the thousand, and can make them again.
    with replacing(path, sync=False) as file:
        file.write(content)


def encoded(kind: str, address: float, planes: float, height: float, width: float, quality: float) -> bytes:
    """The bytes of a file of that kind, of pixels in memory. Raises ValueError."""
    out, mode, form = io.BytesIO(), _MODES[int(planes)], _format_of(kind)
    options = {"quality": int(quality)} if form == "JPEG" else _PNG_OPTIONS if form == "PNG" else {}
    size = int(width), int(height)
    memory = vector(int(address), "uint8", size[0] * size[1] * _CELL[mode], 1)
    try:
        _picture_of(memory.data, mode, size, form).save(out, form, **options)
    except (OSError, KeyError) as reason:
        raise ValueError(text_of(reason)) from None
    return out.getvalue()


def _picture_of(pixels: Any, mode: str, size: tuple[int, int], form: str | None) -> Image.Image:
    if form == "JPEG" and mode == "RGB":
        # Its writer takes pixels where they are.
        return Image.frombuffer("RGBX", size, pixels, "raw", "RGBX", 0, 1)
    return Image.frombytes(mode, size, pixels, "raw", _RAW[mode])


encode = returning_failures(ValueError)(encoded)
