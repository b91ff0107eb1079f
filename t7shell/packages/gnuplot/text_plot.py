"""A plot for a terminal without pictures: curves as blocks of colour, and all text as characters.

The axes, their tick labels, titles and the legend would be blurred if the picture were scaled as a whole.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from t7shell.packages.display import canvas
from t7shell.packages.display.terminal import half_block_rows
from t7shell.packages.gnuplot.draw import draw

if TYPE_CHECKING:
    from t7shell.packages.gnuplot.figures import Figure

_SMALLEST = (12, 4)  # columns and lines of the curves
_ESC = "\x1b"
_MATH = re.compile(r"\$\\mathdefault\{(.*)\}\$")
# Characters of the terminal, each with its colours.
Line = list[str]


def text(figure: Figure, columns: int, lines: int) -> str | None:
    """The figure in lines of the terminal; None if it is not flat, or has no room."""
    drawing = draw(figure)
    plots = [axes for axes in drawing.axes if axes.get_label() != "<colorbar>"]
    rows, across = figure.layout or (1, 1)
    width, height = columns // across - 1, lines // rows
    if not plots or any(hasattr(axes, "get_zlim") for axes in plots):
        return None
    # The labels are those of the drawing at its own size, where there is room for several.
    described = [_Described(axes) for axes in plots]
    with canvas.settings():
        drawing.set_layout_engine("none")
        made = [_panel(drawing, one, width, height) for one in described]
    if any(panel is None for panel in made):
        return None
    panels = [panel for panel in made if panel]
    out = []
    for first in range(0, len(panels), across):
        beside = panels[first : first + across]
        tallest = max(map(len, beside))
        filled = [[*panel, *([[" "] * width] * (tallest - len(panel)))] for panel in beside]
        out += [" ".join("".join(part) for part in parts).rstrip() for parts in zip(*filled, strict=True)]
    return "\n".join(out)


class _Described:
    """What is written around the curves of a plot."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes
        self.title, self.x_label, self.y_label = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
        self.x_ticks = _ticks(axes, axes.xaxis, 0)
        self.y_ticks = _ticks(axes, axes.yaxis, 1)
        self.legend: list[tuple[str, str]] = []
        if axes.get_legend() is not None:
            handles, names = axes.get_legend_handles_labels()
            self.legend = [(_sample(handle), name) for handle, name in zip(handles, names, strict=True)]


def _ticks(axes: Any, axis: Any, which: int) -> list[tuple[float, str]]:
    """The ticks that are seen: their places from 0 to 1 and their labels."""
    found = []
    low, high = sorted(axis.get_view_interval())
    for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False):
        shown = _plain(label.get_text())
        if low <= place <= high and shown:
            point = [axes.get_xlim()[0], axes.get_ylim()[0]]
            point[which] = place
            inside = axes.transAxes.inverted().transform(axes.transData.transform(point))
            found.append((float(inside[which]), shown))
    offset = _plain(axis.get_offset_text().get_text())
    if offset and found:
        found[-1] = (found[-1][0], f"{found[-1][1]} ({offset})")
    return found


def _plain(label: str) -> str:
    """A label without the marks of formulas: 10^2, 0.5."""
    label = _MATH.sub(r"\1", label)
    return re.sub(r"\{([^{}]*)\}", r"\1", label).replace("\\times", "x").replace("$", "")


def _sample(handle: Any) -> str:
    """A line or point in the colour of a curve."""
    first = handle[0] if isinstance(handle, tuple) else handle
    color: Any = (getattr(first, "get_color", None) or first.get_edgecolor)()
    if not isinstance(color, str) and np.ndim(color) > 1:
        color = color[0]  # Collections have one for each of their parts.
    red, green, blue = (round(255 * part) for part in to_rgb(color))
    line = getattr(first, "get_linestyle", lambda: "-")() not in ("None", "none", "")
    return f"{_ESC}[38;2;{red};{green};{blue}m{'━━' if line else '●●'}{_ESC}[0m"


def _panel(drawing: Any, one: _Described, columns: int, lines: int) -> list[Line] | None:
    """A plot with everything around it."""
    margin = max((len(label) for _, label in one.y_ticks), default=0) + 1
    legend = _legend(one.legend, columns)
    around = bool(one.title) + bool(one.y_label) + 2 + bool(one.x_label) + len(legend)
    width, height = columns - margin - 1, lines - around
    if width < _SMALLEST[0] or height < _SMALLEST[1]:
        return None
    left: dict[int, str] = {}
    for place, label in one.y_ticks:
        left.setdefault(round((1 - place) * (height - 1)), label)
    out = [_centred(one.title, columns, margin)] if one.title else []
    out += [_padded(list(one.y_label), columns)] if one.y_label else []
    for row, cells in enumerate(_curves(drawing, one.axes, width, height)):
        out.append(
            [*left.get(row, "").rjust(margin - 1), " "[: margin and 1], "┤" if row in left else "│", *cells]
        )
    axis, below = ["─"] * width, [" "] * (columns + max((len(label) for _, label in one.x_ticks), default=0))
    end = -1
    for place, label in sorted(one.x_ticks):
        at = round(place * (width - 1))
        first = max(0, min(margin + 1 + at - len(label) // 2, columns - len(label)))
        if first > end:
            axis[at] = "┴"
            below[first : first + len(label)] = label
            end = first + len(label)
    out += [[*" " * margin, "└", *axis], below[:columns]]
    out += [_centred(one.x_label, columns, margin)] if one.x_label else []
    return [*out, *legend]


def _curves(drawing: Any, axes: Any, width: int, height: int) -> list[Line]:
    """The curves alone, in so many cells."""
    for other in drawing.axes:
        other.set_visible(other is axes)
    if axes.get_legend() is not None:
        axes.get_legend().set_visible(False)
    axes.set_title("")
    axes.set_aspect("auto")
    axes.set_axis_off()
    axes.set_position((0, 0, 1, 1))
    drawing.set_size_inches(width / canvas.DPI, 2 * height / canvas.DPI)
    drawing.set_dpi(canvas.DPI)
    drawing.canvas.draw()
    pixels = Image.fromarray(np.asarray(drawing.canvas.buffer_rgba()))
    return half_block_rows(pixels.convert("RGB").resize((width, 2 * height)))


def _legend(entries: Sequence[tuple[str, str]], columns: int) -> list[Line]:
    """The names of the curves, each after its sample, in as many lines as they need."""
    found: list[Line] = []
    line: Line = []
    for sample, name in entries:
        cells = [sample, "", " ", *textwrap.shorten(name, columns - 6, placeholder="...")]
        if line and len(line) + 3 + len(cells) > columns:
            found.append(_padded(line, columns))
            line = []
        line += [*("   " if line else "  "), *cells]
    return [*found, _padded(line, columns)] if line else found


def _centred(label: str, columns: int, margin: int) -> Line:
    label = label[: columns - margin]
    return _padded([*" " * (margin + (columns - margin - len(label)) // 2), *label], columns)


def _padded(line: Line, columns: int) -> Line:
    return [*line, *" " * (columns - len(line))]
