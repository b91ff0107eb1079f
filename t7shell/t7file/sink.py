"""Writes numbers, strings and elements in the binary and the ascii format, in pieces."""

from __future__ import annotations

import struct

import numpy as np

from t7shell.t7file.model import Array


class BinarySink:
    """Binary files; the pieces are views of arrays where possible."""

    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []

    def integer(self, value: int) -> None:
        self.parts.append(struct.pack("<i", value))

    def long(self, value: int) -> None:
        self.parts.append(struct.pack("<q", value))

    def number(self, value: float) -> None:
        self.parts.append(struct.pack("<d", value))

    def text(self, value: bytes) -> None:
        self.integer(len(value))
        self.parts.append(value)

    def array(self, values: Array) -> None:
        # A view: a network is not copied before it is written.
        stored = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
        self.parts.append(stored.reshape(-1).view(np.uint8).data)


class AsciiSink(BinarySink):
    """Ascii files, as `AsciiSource` reads them."""

    def integer(self, value: int) -> None:
        self.parts.append(b"%d\n" % value)

    long = integer

    def number(self, value: float) -> None:
        self.parts.append(_shown(value, ".17g") + b"\n")

    def text(self, value: bytes) -> None:
        self.integer(len(value))
        self.parts.append(value + b"\n" if value else b"")

    def array(self, values: Array) -> None:
        if values.size == 0:
            return
        if values.dtype.itemsize == 1:
            self.parts.append(values.tobytes())
        elif values.dtype.kind == "i":
            self.parts.append(b" ".join(b"%d" % value for value in values.tolist()))
        else:
            form = ".17g" if values.dtype.itemsize == 8 else ".9g"
            self.parts.append(b" ".join(_shown(value, form) for value in values.tolist()))
        self.parts.append(b"\n")


def _shown(value: float, form: str) -> bytes:
    if value != value:
        return b"-nan" if np.signbit(value) else b"nan"
    return format(value, form).encode()
