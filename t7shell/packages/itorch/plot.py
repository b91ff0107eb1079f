"""The plots of iTorch, drawn by matplotlib. Functions raise ValueError with the reason of a failure."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from typing import Any

from t7shell.host import encoding
from t7shell.host.memory import Array, vector
from t7shell.packages.display import show

# How many columns each part of a plot has.
COLUMNS = {"line": 2, "circle": 2, "segment": 4, "quad": 4, "triangle": 2}
_FORMATS = ("png", "svg", "pdf", "eps", "jpg")


@dataclass
class Part:
    """One glyph: its kind, its columns, its colour and its name in the legend."""

    what: str
    columns: list[Array]
    color: str
    legend: str


@dataclass
class Plot:
    """The contents of a plot."""

    parts: list[Part] = field(default_factory=list)
    title: str = ""
    xaxis: str = ""
    yaxis: str = ""
    legend: bool = False


_plots: list[Plot] = []
_waiting: list[Array] = []


def new_plot() -> int:
    """The number of a new plot."""
    _plots.append(Plot())
    return len(_plots) - 1


def column(address: float, count: float) -> None:
    """One more column of the part to come; it is copied."""
    _waiting.append(vector(int(address), "float64", int(count), 8).copy())


def add(number: float, what: str, color: str, legend: str) -> None:
    """Adds a part of a kind of `COLUMNS`, from the columns given since the last one."""
    from matplotlib.colors import is_color_like

    columns = list(_waiting)
    _waiting.clear()
    if not is_color_like(color):
        raise ValueError(f"color must be the name or the code of one (got '{color}')")
    _plots[int(number)].parts.append(Part(what, columns, color, encoding.shown(legend)))


def set(number: float, name: str, value: Any) -> None:
    """Sets 'title', 'xaxis', 'yaxis' or 'legend'."""
    setattr(_plots[int(number)], name, encoding.shown(value) if isinstance(value, str) else value)


def figure(plot: Plot) -> Any:
    """The plot as matplotlib's figure."""
    from t7shell.packages.display import canvas

    with canvas.drawing((6.4, 4.8)) as drawing:
        axes = drawing.add_subplot()
        for part in plot.parts:
            _draw_part(axes, part)
        axes.set_title(plot.title)
        axes.set_xlabel(plot.xaxis)
        axes.set_ylabel(plot.yaxis)
        axes.grid(True, alpha=0.3)
        if plot.legend and any(part.legend for part in plot.parts):
            axes.legend()
    return drawing


def _draw_part(axes: Any, part: Part) -> None:
    label = part.legend or None
    x, y = part.columns[:2]
    if part.what == "line":
        axes.plot(x, y, color=part.color, label=label)
    elif part.what in ("circle", "triangle"):
        marker = "o" if part.what == "circle" else "^"
        axes.plot(x, y, marker, color=part.color, label=label)
    elif part.what == "segment":
        ends_x, ends_y = part.columns[2:]
        for i in range(len(x)):
            line = axes.plot([x[i], ends_x[i]], [y[i], ends_y[i]], color=part.color)[0]
            line.set_label(label if i == 0 else None)
    else:
        right, top = part.columns[2:]
        axes.bar(x, top - y, right - x, y, align="edge", color=part.color, edgecolor="white", label=label)


def _content(plot: Plot, form: str) -> bytes:
    from t7shell.packages.display import canvas

    return canvas.content(figure(plot), form)


def draw(number: float) -> None:
    """Shows a plot."""
    show.show(f"plot-{int(number) + 1}", f"plot {int(number) + 1}", _content(_plots[int(number)], "png"))


def html(number: float) -> bytes:
    """A plot as an element of HTML."""
    data = base64.b64encode(_content(_plots[int(number)], "png")).decode()
    return f'<img src="data:image/png;base64,{data}" alt="plot">'.encode()


def save(number: float, path: str) -> None:
    """Writes a plot: as a page of HTML, or as a picture where the name ends so."""
    from t7shell.packages.display import canvas

    form = os.path.splitext(path)[1][1:].lower()
    if form in _FORMATS:
        content = _content(_plots[int(number)], form)
    else:
        page = b'<!doctype html>\n<meta charset="utf-8">\n<title>plot</title>\n%s\n'
        content = page % html(number)
    canvas.write(path, content)
