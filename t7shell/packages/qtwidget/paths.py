"""The path that is drawn on a canvas: lines and curves in pixels, transformed by a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Affine2D


class Paths:
    """A path and the matrix that its coordinates pass through; `current` is the current point."""

    matrix: Any

    def __init__(self) -> None:
        self.initmatrix()
        self.newpath()

    def translate(self, x: float, y: float) -> None:
        """Moves the origin."""
        self.matrix = Affine2D().translate(x, y) + self.matrix

    def scale(self, x: float, y: float) -> None:
        """Scales later drawing."""
        self.matrix = Affine2D().scale(x, y) + self.matrix

    def rotate(self, degrees: float) -> None:
        """Rotates later drawing, clockwise."""
        self.matrix = Affine2D().rotate_deg(degrees) + self.matrix

    def initmatrix(self) -> None:
        """Resets the matrix."""
        self.matrix = Affine2D()

    def newpath(self) -> None:
        """Clears the path."""
        self._points: list[tuple[float, float]] = []
        self._codes: list[int] = []
        self.current: tuple[float, float] | None = None

    def _add(self, code: Any, *points: tuple[float, float]) -> None:
        for x, y in points:
            if not (math.isfinite(x) and math.isfinite(y)):
                raise ValueError(f"finite coordinates expected (got {x:g} and {y:g})")
            moved = self.matrix.transform((x, y))
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
        """Adds a line to a point; without a current point begins there."""
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
        """Closes the line at its beginning."""
        if self._codes and self._codes[-1] != Path.CLOSEPOLY:
            self._codes.append(int(Path.CLOSEPOLY))
            self._points.append(self._points[-1])
