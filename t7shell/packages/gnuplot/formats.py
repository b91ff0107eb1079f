"""Formats of curves: Torch's short ones ('-', '+-', '~', ...) and gnuplot's own words ('with lines lw 2')."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Kind of curve -> how many columns it takes besides x, at least.
KINDS = {
    "points": 1,
    "dots": 1,
    "lines": 1,
    "linespoints": 1,
    "impulses": 1,
    "boxes": 1,
    "steps": 1,
    "fsteps": 1,
    "filledcurves": 1,
    "errorbars": 2,
    "errorlines": 2,
    "circles": 2,
    "vectors": 3,
}
_SHORT = {
    "": "points",
    "+": "points",
    ".": "dots",
    "-": "lines",
    "+-": "linespoints",
    "-+": "linespoints",
    "|": "boxes",
    "v": "vectors",
    "~": "smooth",
}
_OTHER_NAMES = {
    "p": "points",
    "d": "dots",
    "l": "lines",
    "lp": "linespoints",
    "i": "impulses",
    "yerrorbars": "errorbars",
    "yerrorlines": "errorlines",
    "filledcurve": "filledcurves",
    "histograms": "boxes",
    "vector": "vectors",
    "pm3d": "surface",
}
# gnuplot's colours of line types and matplotlib's signs for its types of points and lines.
COLORS = ("#9400d3", "#009e73", "#56b4e9", "#e69f00", "#d4b000", "#0072b2", "#e51e10", "#000000")
MARKERS = ("", "+", "x", "*", "s", "s", "o", "o", "^", "^", "v", "v", "D", "D", "p", "p")
DASHES = ("-", "-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)))
_SMOOTH = ("csplines", "acsplines", "mcsplines", "bezier", "sbezier", "unique", "frequency")


@dataclass
class Style:
    """How a curve is drawn; None stands for the default of its number among the curves."""

    kind: str = "points"
    smooth: bool = False
    color: str | None = None
    width: float = 1.0
    dash: int = 1
    marker: int | None = None
    size: float = 1.0
    baseline: float | None = None

    @property
    def columns(self) -> int:
        """How many columns a curve takes besides x, at least."""
        return KINDS.get(self.kind, 1)


def read(text: str) -> Style:
    """The style that a format means. Raises ValueError for words that mean nothing."""
    short = text.strip()
    if short in _SHORT:
        kind = _SHORT[short]
        return Style("lines", smooth=True) if kind == "smooth" else Style(kind)
    words = re.findall(r"'[^']*'|\"[^\"]*\"|[^\s,]+", short)
    if words and words[0] not in ("with", "w", "smooth", "lt", "lc", "lw", "pt", "ps", "ls"):
        words.insert(0, "with")
    style = Style()
    position = 0
    while position < len(words):
        position += 1 + _word(style, words, position, text)
    return style


def _word(style: Style, words: list[str], position: int, text: str) -> int:
    """Reads the word at a position; returns the number of words after it that belong to it."""
    word = words[position]

    def value(offset: int = 1) -> str:
        if position + offset >= len(words):
            raise ValueError(f"format '{text}': a value is missing after '{word}'")
        return words[position + offset].strip("'\"")

    def number() -> float:
        try:
            return float(value())
        except ValueError:
            raise ValueError(f"format '{text}': number expected after '{word}' (got '{value()}')") from None

    if word in ("with", "w"):
        kind = _OTHER_NAMES.get(value(), value())
        if kind not in KINDS and kind != "surface":
            raise ValueError(f"format '{text}': no kind of curve '{value()}'; there are {', '.join(KINDS)}")
        style.kind = kind
        return 1
    if word == "smooth":
        if value() not in _SMOOTH:
            raise ValueError(f"format '{text}': no way to smooth '{value()}'; there are {', '.join(_SMOOTH)}")
        style.smooth = value() not in ("unique", "frequency")
        style.kind = "lines" if style.kind == "points" else style.kind
        return 1
    if word in ("lw", "linewidth"):
        style.width = number()
    elif word in ("ps", "pointsize"):
        style.size = number()
    elif word in ("pt", "pointtype"):
        style.marker = int(number())
    elif word in ("dt", "dashtype"):
        style.dash = int(number())
    elif word in ("ls", "lt", "linestyle", "linetype", "lc", "linecolor"):
        if value() in ("rgb", "rgbcolor"):
            style.color = value(2)
            return 2
        style.color = COLORS[(int(number()) - 1) % len(COLORS)]
    elif word in ("fs", "fillstyle"):
        return 2 if value() in ("solid", "transparent") and position + 2 < len(words) else 1
    elif re.fullmatch(r"y\d?=.*", word):
        style.baseline = float(word.partition("=")[2])
        return 0
    elif word in ("closed", "above", "below", "x1", "x2", "nohead", "head", "filled", "notitle", "using"):
        return 0
    elif word in ("title", "t"):
        return 1
    else:
        raise ValueError(f"format '{text}': '{word}' is not understood")
    return 1
