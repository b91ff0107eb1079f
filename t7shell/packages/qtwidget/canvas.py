"""A canvas with paths, text and images, drawn by matplotlib and shown where pictures appear.

Coordinates are pixels from the upper left corner. A path collects lines and curves until `stroke` or `fill`.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from PIL import Image

from t7shell.host import encoding
from t7shell.packages.display import show
from t7shell.packages.qtwidget.paths import Paths

_MAX_SIDE = 2**15


def _renderer(width: int, height: int) -> Any:
    return RendererAgg(width, height, 72)  # type: ignore[no-untyped-call]


def _rgba(words: tuple[Any, ...]) -> tuple[float, float, float, float]:
    """A colour of a name, or of red, green, blue and alpha from 0 to 1."""
    if isinstance(words[0], str):
        return to_rgba(words[0])
    red, green, blue, alpha = [*(min(1.0, max(0.0, float(word))) for word in words), 1.0][:4]
    return red, green, blue, alpha


@dataclass
class _State:
    """The state that `gsave` saves."""

    colour: tuple[float, float, float, float] = (0, 0, 0, 1)
    brush: tuple[float, float, float, float] = (0, 0, 0, 1)
    clip: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    width: float = 1
    size: float = 12
    family: str = "sans-serif"
    style: Literal["normal", "italic"] = "normal"
    weight: str = "normal"


class Canvas(Paths):
    """A picture that is drawn on."""

    def __init__(self, key: str, title: str, width: int, height: int, shown: bool) -> None:
        if not (0 < width < _MAX_SIDE and 0 < height < _MAX_SIDE):
            raise ValueError(f"width and height must be from 1 to {_MAX_SIDE - 1} (got {width} and {height})")
        super().__init__()
        self.key, self.title, self.shown = key, title, shown
        self.state = _State()
        self._saved: list[tuple[_State, Any]] = []
        self.resize(width, height)

    def resize(self, width: float, height: float) -> None:
        """Makes an empty canvas of a size, without a clip."""
        self.width, self.height = int(width), int(height)
        for state in (self.state, *(state for state, _ in self._saved)):
            state.clip = None
        self.showpage()

    def showpage(self) -> None:
        """Clears the canvas."""
        self._renderer = _renderer(self.width, self.height)
        np.asarray(self._renderer.buffer_rgba())[...] = 255
        self.newpath()

    def array(self) -> np.ndarray[Any, Any]:
        """The pixels, height x width x 3 bytes."""
        return np.array(np.asarray(self._renderer.buffer_rgba())[:, :, :3])

    def changed(self) -> None:
        """Schedules the canvas for display at the end of the input; windows and files may show it before."""
        if self.shown:
            show.offer(self.key, self.title, self._content)

    def _content(self) -> bytes:
        out = io.BytesIO()
        Image.fromarray(self.array()).save(out, "PNG", compress_level=1)
        return out.getvalue()

    # State.

    def gsave(self) -> None:
        """Keeps colours, line, font, matrix and clip until `grestore`."""
        self._saved.append((replace(self.state), self.matrix))

    def grestore(self) -> None:
        """Restores the state that `gsave` saved last."""
        if self._saved:
            self.state, self.matrix = self._saved.pop()

    def setcolor(self, *words: Any) -> None:
        """The colour of all: a name, or red, green, blue and alpha from 0 to 1."""
        self.setpen(*words)
        self.state.brush = self.state.colour

    def setpen(self, *words: Any) -> None:
        """The colour of lines and text."""
        self.state.colour = _rgba(words)

    def setbrush(self, *words: Any) -> None:
        """The colour of areas."""
        self.state.brush = _rgba(words)

    def setlinewidth(self, width: float) -> None:
        """The width of lines in pixels."""
        self.state.width = max(0.0, width)

    def setfont(self, size: float, serif: bool, italic: bool, bold: bool) -> None:
        """The font of `show`; its size is in pixels."""
        state = self.state
        state.size, state.family = size, "serif" if serif else "sans-serif"
        state.style, state.weight = "italic" if italic else "normal", "bold" if bold else "normal"

    def _draw(self, filled: bool) -> None:
        with self._clipped():
            self._draw_path(self._renderer, self.state.brush if filled else self.state.colour, filled)
        self.newpath()

    def _draw_path(self, renderer: Any, colour: tuple[float, float, float, float], filled: bool) -> None:
        if self._points:
            context = self._context(colour)
            context.set_linewidth(0 if filled else self.state.width)
            flipped = Affine2D().scale(1, -1).translate(0, self.height)
            renderer.draw_path(context, Path(self._points, self._codes), flipped, colour if filled else None)

    def _context(self, colour: tuple[float, float, float, float]) -> Any:
        context = self._renderer.new_gc()
        context.set_foreground(colour, isRGBA=True)
        context.set_alpha(colour[3])
        return context

    @contextmanager
    def _clipped(self) -> Iterator[None]:
        """Restores the pixels outside the clip after drawing, and has the canvas shown."""
        buffer = np.asarray(self._renderer.buffer_rgba())
        outside = slice(0) if self.state.clip is None else ~self.state.clip
        before = buffer[outside].copy()
        yield
        buffer[outside] = before
        self.changed()

    def clip(self) -> None:
        """Restricts drawing to the pixels of which at least half lies inside the path; keeps the path."""
        mask = _renderer(self.width, self.height)
        self._draw_path(mask, (0, 0, 0, 1), True)
        inside = np.asarray(mask.buffer_rgba())[:, :, 3] >= 128
        self.state.clip = inside if self.state.clip is None else inside & self.state.clip

    def initclip(self) -> None:
        """Lets drawing reach all pixels again."""
        self.state.clip = None

    def stroke(self) -> None:
        """Draws the path as lines."""
        self._draw(False)

    def fill(self) -> None:
        """Fills the path."""
        self._draw(True)

    # Text.

    def _measured(self, text: str) -> tuple[str, FontProperties, tuple[float, float, float]]:
        """A text for matplotlib, its font, and its width, height and descent."""
        state = self.state
        font = FontProperties(family=state.family, style=state.style, weight=state.weight, size=state.size)
        words = encoding.shown(text)
        return words, font, self._renderer.get_text_width_height_descent(words, font, False)

    def extent(self, text: str) -> tuple[float, float]:
        """Width and height of a text."""
        width, height, _ = self._measured(text)[2]
        return float(width), float(height)

    def show(self, text: str, *area: float) -> None:
        """Text at the current point, which moves to its end; or in the middle of x, y, width, height."""
        state = self.state
        words, font, (width, height, descent) = self._measured(text)
        if len(area) == 4:
            x = area[0] + (area[2] - width) / 2
            y = area[1] + (area[3] + height) / 2 - descent
        else:
            x, y = self._here()
        at = self.matrix.transform((x, y))
        a = self.matrix.get_matrix()
        angle = -math.degrees(math.atan2(a[1, 0], a[0, 0]))
        with self._clipped():
            if words:
                context = self._context(state.colour)
                self._renderer.draw_text(context, float(at[0]), float(at[1]), words, font, angle)
        self.current = (x + width, y)

    def place(self, pixels: Image.Image, x: float, y: float) -> None:
        """An image with its upper left corner at a point."""
        at = self.matrix.transform((x, y))
        # Rows of matplotlib's images go up.
        rows = np.asarray(pixels.convert("RGBA"))[::-1]
        # draw_image counts from the lower left corner.
        left, bottom = float(at[0]), float(self.height - at[1] - pixels.height)
        with self._clipped():
            self._renderer.draw_image(self._context((0, 0, 0, 1)), left, bottom, rows)
