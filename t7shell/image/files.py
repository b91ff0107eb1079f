"""Reading and writing files of pictures with Pillow, between files and pixels in memory."""

from __future__ import annotations

import ctypes
import io
import os
import stat
import threading
from typing import Any

from PIL import Image, UnidentifiedImageError

from t7shell.memory import vector

# The modes of Pillow whose channels are planes as they are, and the others that are read.
_PLANES = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_MODES = {planes: mode for mode, planes in _PLANES.items()}
_BITS = {"I": 16, "F": 32}
# How their pixels lie in memory: as Pillow has them, which is fastest.
_RAW = {"L": "L", "LA": "LA", "RGB": "RGBX", "RGBA": "RGBA", "I": "I", "F": "F"}
_CELL = {"L": 1, "LA": 2, "RGB": 4, "RGBA": 4}
_JPEG_SIDE = 65500  # what libjpeg writes; it tells of more on the error stream itself
_KINDS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "ppm": "PPM", "pgm": "PPM"}
# Pictures of cameras take less than half of the default's time, and a sixth more bytes; noise is stored.
_PNG_OPTIONS = {"compress_level": 1}
_UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)


def head(path: str) -> tuple[Any, ...]:
    """(planes, height, width) of a file, by its head alone; (None, message) where it cannot be read."""
    try:
        with Image.open(_path_of(path)) as picture:
            return _PLANES.get(_mode_of(picture), 1), picture.height, picture.width
    except _UNREADABLE as reason:
        return None, _message(reason)


def load(path: str) -> tuple[Any, ...]:
    """(address of pixels, planes, height, width, bits, keeper) of a file, or (None, message).

    The pixels are there as long as the keeper is, until the next call in the same thread.
    """
    try:
        with Image.open(_path_of(path)) as picture:
            return _pixels_of(picture)
    except _UNREADABLE as reason:
        return None, _message(reason)


def load_bytes(address: float, count: float) -> tuple[Any, ...]:
    """The pixels of a file in memory, which is copied."""
    try:
        with Image.open(io.BytesIO(ctypes.string_at(int(address), int(count)))) as picture:
            return _pixels_of(picture)
    except _UNREADABLE as reason:
        return None, _message(reason)


def _path_of(path: str) -> str:
    return os.fsdecode(path.encode("latin-1"))


def _pixels_of(picture: Image.Image) -> tuple[Any, ...]:
    mode = _mode_of(picture)
    picture.load()
    if picture.mode != mode:
        picture = picture.convert(mode)
    pixels = picture.tobytes("raw", _RAW[mode])
    room = _room_of(len(pixels))
    address = ctypes.addressof(room)
    ctypes.memmove(address, pixels, len(pixels))
    width, height = picture.size
    return address, _PLANES.get(mode, 1), height, width, _BITS.get(mode, 8), room


class _Kept(threading.local):
    """Memory that the loads of a thread share: new one has to be fetched from the system, page by page."""

    room: Any = b""


_kept = _Kept()
_MOST_KEPT = 2**24


def _room_of(size: int) -> Any:
    """Memory for so many bytes."""
    room = _kept.room
    if size > len(room):
        room = (ctypes.c_char * size)()
        if size <= _MOST_KEPT:
            _kept.room = room
    return room


def _mode_of(picture: Image.Image) -> str:
    """The mode that a picture is read in: its own, or what it is converted to."""
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


def _message(reason: Exception) -> str:
    if isinstance(reason, UnidentifiedImageError):
        return "not a picture of a known format"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__


def _format_of(kind: str) -> str | None:
    """Pillow's name of a format that can be written, by the extension of files."""
    known = _KINDS.get(kind)
    if not known:
        known = Image.registered_extensions().get("." + kind)
    return known if known in _KINDS.values() or known in Image.SAVE else None


def can_save(kind: str) -> bool:
    """Whether files of an extension can be written."""
    return _format_of(kind) is not None


def misfit(kind: str, planes: float, height: float, width: float) -> str | None:
    """Why files of a kind cannot hold an image of such sizes, or None."""
    form = _format_of(kind)
    if kind == "pgm" and planes != 1:
        return f"1 plane expected, got {int(planes)}"
    if form in ("JPEG", "PPM") and planes in (2, 4):
        return f"1 or 3 planes expected, got {int(planes)}"
    if planes not in _MODES:
        return f"1 to 4 planes expected, got {int(planes)}"
    if form == "JPEG" and max(height, width) > _JPEG_SIDE:
        return f"at most {_JPEG_SIDE} rows and columns expected, got {int(height)}x{int(width)}"
    return None


def _replace(path: bytes, content: bytes) -> None:
    """Makes `content` the content of a file. Some file systems flush one that is emptied first to the disk,
    which takes longer than making a picture."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(content)
        file.flush()
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.truncate()


def save(
    path: str, kind: str, address: float, planes: float, height: float, width: float, quality: float
) -> str | None:
    """Writes a file of the kind that an extension stands for; why that failed, or None."""
    content = encode(kind, address, planes, height, width, quality)
    if isinstance(content, tuple):
        return str(content[1])
    try:
        _replace(path.encode("latin-1"), content)
    except OSError as reason:
        return _message(reason)
    return None


def encode(
    kind: str, address: float, planes: float, height: float, width: float, quality: float
) -> bytes | tuple[None, str]:
    """The bytes of a file of that kind, of pixels in memory; (None, message) where there can be none."""
    out, mode, form = io.BytesIO(), _MODES[int(planes)], _format_of(kind)
    options = {"quality": int(quality)} if form == "JPEG" else _PNG_OPTIONS if form == "PNG" else {}
    size = int(width), int(height)
    memory = vector(int(address), "uint8", size[0] * size[1] * _CELL[mode], 1)
    try:
        Image.frombytes(mode, size, memory.data, "raw", _RAW[mode]).save(out, form, **options)
    except (OSError, ValueError, KeyError) as reason:
        return None, _message(reason)
    return out.getvalue()
