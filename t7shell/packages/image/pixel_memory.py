"""The memory of a picture of Pillow, without a copy: Arrow's C interface gives it since Pillow 11.2.

``Image.tobytes`` takes as long as a JPEG picture of 320x256 takes to decode.
"""

from __future__ import annotations

import ctypes
from typing import Any

from PIL import Image


class _ArrowArray(ctypes.Structure):
    pass


_ArrowArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowArray))),
    *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
]

# Elements of a pixel, where Pillow's layout is that of our pixels: RGB takes the room of four bytes in both.
_ELEMENTS = {"L": 1, "RGB": 4, "RGBA": 4, "I": 1, "F": 1}

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def in_place(picture: Image.Image) -> tuple[int, Any] | None:
    """Address of a loaded picture's pixels, row by row without gaps, and what keeps them.

    None where Pillow is older, the mode is another one, or there are gaps, as in pictures of over 16 MB.
    """
    core: Any = Image.core  # type: ignore[attr-defined]
    elements = _ELEMENTS.get(picture.mode)
    export = getattr(picture, "__arrow_c_array__", None)
    if elements is None or export is None or core.get_alignment() != 1:
        return None
    try:
        capsules = export()
    except ValueError:
        return None
    array = _ArrowArray.from_address(_get_pointer(capsules[1], b"arrow_array"))
    if array.n_children:
        array = array.children[0].contents
    if array.offset or array.length != picture.width * picture.height * elements:
        return None
    address = array.buffers[1]
    return (address, capsules) if address else None
