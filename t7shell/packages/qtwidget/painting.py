"""The functions of canvases that `lua/packages/qtwidget/Painter.lua` calls."""

from __future__ import annotations

import io
import os
from typing import Any

from PIL import Image

from t7shell.host.atomic_write import replacing
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.display import show
from t7shell.packages.exchange.values import Reader
from t7shell.packages.image.files import encoded
from t7shell.packages.image.opening import open_picture
from t7shell.packages.qtwidget.canvas import Canvas

_FAILURES = (OSError, ValueError, TypeError, KeyError, MemoryError, OverflowError)


@returning_failures(*_FAILURES)
def new(key: str, title: str, width: float, height: float, shown: bool) -> Canvas:
    """A canvas, which is white; `shown` says whether pictures of it appear."""
    made = Canvas(key, title, int(width), int(height), shown)
    # A window opens before anything is drawn; a file is written once something is.
    if shown and show.destination() == "window":
        made.changed()
    return made


@returning_reasons(*_FAILURES)
def paint(canvas: Canvas, name: str, *arguments: Any) -> None:
    """Calls a method of a canvas."""
    getattr(canvas, name)(*arguments)


def position(canvas: Canvas) -> tuple[float, float] | None:
    """The current point."""
    return canvas.current


def extent(canvas: Canvas, text: str) -> tuple[float, float]:
    """Width and height of a text in the canvas's font, in pixels."""
    return canvas.extent(text)


def place(
    canvas: Canvas,
    address: float,
    planes: float,
    height: float,
    width: float,
    x: float,
    y: float,
    to_width: float,
    to_height: float,
) -> None:
    """Draws the pixels of an image, scaled to a size."""
    content = encoded("png", address, planes, height, width, 0)
    picture = open_picture(io.BytesIO(content), ("PNG",))
    size = max(1, int(to_width)), max(1, int(to_height))
    if picture.size != size:
        picture = picture.resize(size, Image.Resampling.BILINEAR)
    canvas.place(picture, x, y)


def pixels(canvas: Canvas) -> Reader:
    """The bytes of the canvas, height x width x 3."""
    return Reader(canvas.array())


@returning_reasons(*_FAILURES)
def write(canvas: Canvas, path: str) -> None:
    """Writes a file whose extension determines the format."""
    Image.init()
    extension = os.path.splitext(path)[1].lower()
    if extension not in Image.EXTENSION:
        raise ValueError(f"unknown file extension: {extension}")
    with replacing(path, sync=False) as file:
        Image.fromarray(canvas.array()).save(file, Image.EXTENSION[extension])
