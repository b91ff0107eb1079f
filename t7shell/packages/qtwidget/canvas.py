"""A canvas with paths, text and images, drawn by matplotlib and shown where pictures appear.

Coordinates are pixels from the upper left corner. A path collects lines and curves until `stroke` or `fill`.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from PIL import Image

from t7shell.core import encoding
from t7shell.packages.display import show

_LARGEST = 2**15


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
    """What `gsave` keeps."""

    colour: tuple[float, float, float, float] = (0, 0, 0, 1)
    brush: tuple[float, float, float, float] = (0, 0, 0, 1)
    clip: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    width: float = 1
    size: float = 12
    family: str = "sans-serif"
    style: Literal["normal", "italic"] = "normal"
    weight: str = "normal"
    matrix: Any = field(default_factory=Affine2D)


class Canvas:
    """A picture that is drawn on."""

    def __init__(self, key: str, title: str, width: int, height: int, shown: bool) -> None:
        if not (0 < width < _LARGEST and 0 < height < _LARGEST):
            raise ValueError(f"width and height must be from 1 to {_LARGEST - 1} (got {width} and {height})")
        self.key, self.title, self.shown = key, title, shown
        self.state = _State()
        self._saved: list[_State] = []
        self.resize(width, height)

    def resize(self, width: float, height: float) -> None:
        """Makes an empty canvas of a size, without a clip."""
        self.width, self.height = int(width), int(height)
        for state in (self.state, *self._saved):
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
        """Has the canvas shown when the input has ended, in a window or file now and then before."""
        if self.shown:
            show.offer(self.key, self.title, self._content)

    def _content(self) -> bytes:
        out = io.BytesIO()
        Image.fromarray(self.array()).save(out, "PNG", compress_level=1)
        return out.getvalue()

    # State.

    def gsave(self) -> None:
        """Keeps colours, line, font, matrix and clip until `grestore`."""
        self._saved.append(replace(self.state))

    def grestore(self) -> None:
        """Restores what `gsave` kept last."""
        if self._saved:
            self.state = self._saved.pop()

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

    def translate(self, x: float, y: float) -> None:
        """Moves the origin."""
        self.state.matrix = Affine2D().translate(x, y) + self.state.matrix

    def scale(self, x: float, y: float) -> None:
        """Scales later drawing."""
        self.state.matrix = Affine2D().scale(x, y) + self.state.matrix

    def rotate(self, degrees: float) -> None:
        """Rotates later drawing, clockwise."""
        self.state.matrix = Affine2D().rotate_deg(degrees) + self.state.matrix

    def initmatrix(self) -> None:
        """Forgets all moves, scales and turns."""
        self.state.matrix = Affine2D()

    # Paths, in pixels of the canvas.

    def newpath(self) -> None:
        """Forgets the path."""
        self._points: list[tuple[float, float]] = []
        self._codes: list[int] = []
        self.current: tuple[float, float] | None = None

    def _add(self, code: Any, *points: tuple[float, float]) -> None:
        for x, y in points:
            if not (math.isfinite(x) and math.isfinite(y)):
                raise ValueError(f"finite coordinates expected (got {x:g} and {y:g})")
            moved = self.state.matrix.transform((x, y))
            self._points.append((float(moved[0]), float(moved[1])))
            self._codes.append(int(code))
        self.current = points[-1]

    def _here(self) -> tuple[float, float]:
        if self.current is None:
            raise ValueError("no current point: moveto comes first")
        return self.current

    def moveto(self, x: float, y: float) -> None:
        """Begins a line."""
        self._add(Path.MOVETO, (x, y))

    def lineto(self, x: float, y: float) -> None:
        """Goes on to a point; without a current one begins there."""
        self._add(Path.LINETO if self.current else Path.MOVETO, (x, y))

    def rmoveto(self, x: float, y: float) -> None:
        """`moveto` from the current point."""
        here = self._here()
        self.moveto(here[0] + x, here[1] + y)

    def rlineto(self, x: float, y: float) -> None:
        """`lineto` from the current point."""
        here = self._here()
        self.lineto(here[0] + x, here[1] + y)

    def curveto(self, *xy: float) -> None:
        """A cubic curve by two control points and its end."""
        self._here()
        self._add(Path.CURVE4, (xy[0], xy[1]), (xy[2], xy[3]), (xy[4], xy[5]))

    def arc(self, x: float, y: float, radius: float, first: float, last: float, way: int = 1) -> None:
        """Part of a circle between two angles in degrees."""
        turns = way * (last - first) % 360 or (360 if last != first else 0)
        angles = np.radians(np.linspace(first, first + way * turns, max(8, int(turns / 4))))
        for angle in angles:
            self.lineto(x + radius * float(np.cos(angle)), y + radius * float(np.sin(angle)))

    def arcn(self, x: float, y: float, radius: float, first: float, last: float) -> None:
        """The same in the other direction."""
        self.arc(x, y, radius, first, last, -1)

    def rectangle(self, x: float, y: float, width: float, height: float) -> None:
        """A closed rectangle."""
        self.moveto(x, y)
        self.lineto(x + width, y)
        self.lineto(x + width, y + height)
        self.lineto(x, y + height)
        self.closepath()

    def closepath(self) -> None:
        """Goes back to where the line began."""
        if self._codes and self._codes[-1] != Path.CLOSEPOLY:
            self._codes.append(int(Path.CLOSEPOLY))
            self._points.append(self._points[-1])

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
        at = state.matrix.transform((x, y))
        a = state.matrix.get_matrix()
        angle = -math.degrees(math.atan2(a[1, 0], a[0, 0]))
        with self._clipped():
            if words:
                context = self._context(state.colour)
                self._renderer.draw_text(context, float(at[0]), float(at[1]), words, font, angle)
        self.current = (x + width, y)

    def place(self, pixels: Image.Image, x: float, y: float) -> None:
        """An image with its upper left corner at a point."""
        at = self.state.matrix.transform((x, y))
        # Rows of matplotlib's images go up.
        rows = np.asarray(pixels.convert("RGBA"))[::-1]
        # draw_image counts from the lower left corner.
        left, bottom = float(at[0]), float(self.height - at[1] - pixels.height)
        with self._clipped():
            self._renderer.draw_image(self._context((0, 0, 0, 1)), left, bottom, rows)
