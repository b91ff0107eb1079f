"""Drawing a figure with matplotlib, independent of the user's settings of matplotlib and of the time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure as Drawing

from t7shell.host.notices import notice
from t7shell.packages.display import canvas
from t7shell.packages.gnuplot.formats import COLORS, DASHES, MARKERS, Style

if TYPE_CHECKING:
    from t7shell.packages.gnuplot.figures import Curve, Figure, Panel
    from t7shell.packages.gnuplot.settings import Settings

_POINT = 6.0  # the size of a point, in points of print
_FINE = 400  # positions at which a smooth curve is drawn
_PALETTES = {"gray": "gray", "grey": "gray", "color": "gnuplot", "colour": "gnuplot"}
# gnuplot's formulae of palettes, as numbers for red, green and blue.
_FORMULAE = {
    "7,5,15": "gnuplot",
    "33,13,10": "rainbow",
    "22,13,-31": "jet",
    "30,31,32": "gnuplot2",
    "21,22,23": "hot",
}


def content(figure: Figure, form: str) -> bytes:
    """The bytes of a file with the figure."""
    return canvas.content(draw(figure), form)


def draw(figure: Figure) -> Drawing:
    """The figure as matplotlib's."""
    with canvas.drawing(figure.size) as drawing:
        rows, columns = figure.layout or (1, 1)
        for i, panel in enumerate(figure.panels[: rows * columns]):
            deep = panel.kind in ("splot", "scatter3")
            axes = drawing.add_subplot(rows, columns, i + 1, projection="3d" if deep else None)
            _DRAW[panel.kind](axes, panel)
            _finish(axes, panel.settings, deep, any(curve.name for curve in panel.curves))
    return drawing


def _plot(axes: Any, panel: Panel) -> None:
    number = 0
    for curve in panel.curves:
        series = curve.data.shape[1] - 1
        if curve.style.columns > 1 or series == 1:
            _curve(axes, curve, curve.data, curve.name, number)
            number += 1
            continue
        # A matrix: x, and a curve for each further column.
        for k in range(1, series + 1):
            name = f"{curve.name} {k}" if curve.name else ""
            _curve(axes, curve, curve.data[:, [0, k]], name, number)
            number += 1


def _curve(axes: Any, curve: Curve, data: Any, name: str, number: int) -> None:
    style = curve.style
    color = style.color or COLORS[number % len(COLORS)]
    x, y = data[:, 0], data[:, 1]
    label = name or None
    line: dict[str, Any] = {
        "color": color,
        "linewidth": style.width,
        "linestyle": DASHES[style.dash % len(DASHES)],
        "label": label,
    }
    marker = _marker(style, number)
    if style.smooth:
        x, y = _smooth(x, y)
    if style.kind == "points":
        axes.plot(x, y, **{**line, "linestyle": "none"}, **marker)
    elif style.kind == "dots":
        axes.plot(x, y, **{**line, "linestyle": "none"}, marker=",")
    elif style.kind in ("lines", "surface"):
        axes.plot(x, y, **line)
    elif style.kind == "linespoints":
        axes.plot(x, y, **line, **marker)
    elif style.kind == "impulses":
        axes.vlines(x, 0, y, color=color, linewidth=style.width, label=label)
    elif style.kind == "boxes":
        axes.bar(x, y, width=_box_width(x), color="none", edgecolor=color, linewidth=style.width, label=label)
    elif style.kind in ("steps", "fsteps"):
        axes.step(x, y, where="post" if style.kind == "steps" else "pre", **line)
    elif style.kind == "filledcurves":
        base = data[:, 2] if data.shape[1] > 2 else style.baseline
        if base is None:
            axes.fill(x, y, color=color, label=label)
        else:
            axes.fill_between(x, y, base, color=color, label=label)
    elif style.kind in ("errorbars", "errorlines"):
        error = data[:, 2] if data.shape[1] == 3 else np.abs(data[:, 2:4].T - y)
        joined = line["linestyle"] if style.kind == "errorlines" else "none"
        axes.errorbar(x, y, yerr=error, **{**line, "linestyle": joined}, capsize=3, **marker)
    elif style.kind == "circles":
        _circles(axes, x, y, data[:, 2], color, label)
    elif style.kind == "vectors":
        axes.quiver(
            x, y, data[:, 2], data[:, 3], angles="xy", scale_units="xy", scale=1, color=color, label=label
        )
        # Arrows do not count for the limits of axes, their ends do.
        axes.update_datalim(np.column_stack([x + data[:, 2], y + data[:, 3]]))
        axes.autoscale_view()


def _marker(style: Style, number: int) -> dict[str, Any]:
    kind = style.marker if style.marker is not None else number % 6 + 1
    return {
        "marker": MARKERS[kind % len(MARKERS)] or ",",
        "markersize": _POINT * style.size,
        # Odd kinds of points from the fifth on are filled.
        "fillstyle": "full" if kind < 4 or kind % 2 == 1 else "none",
    }


def _box_width(x: Any) -> float:
    steps = np.diff(np.unique(x))
    return float(steps.min()) if len(steps) else 1.0


def _smooth(x: Any, y: Any) -> tuple[Any, Any]:
    """A cubic spline through the points; points with equal x are averaged."""
    from scipy.interpolate import CubicSpline

    fine = np.isfinite(x) & np.isfinite(y)
    knots, where = np.unique(x[fine], return_inverse=True)
    if len(knots) < 3:
        return x[fine], y[fine]
    means = np.bincount(where, y[fine]) / np.bincount(where)
    positions = np.linspace(knots[0], knots[-1], max(_FINE, len(knots)))
    return positions, CubicSpline(knots, means, bc_type="natural")(positions)


def _circles(axes: Any, x: Any, y: Any, radius: Any, color: str, label: str | None) -> None:
    from matplotlib.collections import EllipseCollection

    circles = EllipseCollection(
        2 * radius,
        2 * radius,
        np.zeros_like(radius),
        units="x",
        offsets=np.column_stack([x, y]),
        offset_transform=axes.transData,
        facecolors="none",
        edgecolors=color,
        label=label,
    )
    axes.add_collection(circles)
    corners = np.column_stack([np.r_[x - radius, x + radius], np.r_[y - radius, y + radius]])
    axes.update_datalim(corners)
    axes.autoscale_view()


def _splot(axes: Any, panel: Panel) -> None:
    for number, curve in enumerate(panel.curves):
        x, y, z = _grids(curve.data)
        color = curve.style.color or COLORS[number % len(COLORS)]
        label = curve.name or None
        if panel.settings.surface or curve.style.kind == "surface":
            axes.plot_surface(x, y, z, cmap="gnuplot", label=label)
        elif min(z.shape) < 2:
            axes.plot(x.ravel(), y.ravel(), z.ravel(), color=color, label=label)
        else:
            axes.plot_wireframe(x, y, z, color=color, linewidth=0.7, label=label, rcount=200, ccount=200)


def _grids(data: Any) -> tuple[Any, Any, Any]:
    """x, y and z, which are concatenated along the first dimension."""
    rows = data.shape[0] // 3
    return data[:rows], data[rows : 2 * rows], data[2 * rows :]


def _scatter3(axes: Any, panel: Panel) -> None:
    for number, curve in enumerate(panel.curves):
        x, y, z = curve.data[:, 0], curve.data[:, 1], curve.data[:, 2]
        color = curve.style.color or COLORS[number % len(COLORS)]
        marker = _marker(curve.style, number)
        axes.plot(x, y, z, linestyle="none", color=color, label=curve.name or None, **marker)


def _imagesc(axes: Any, panel: Panel) -> None:
    low, high = panel.settings.ranges.get("cb", (None, None))
    palette = palette_of(panel.settings.palette)
    data = panel.curves[0].data
    shown = axes.imshow(data, cmap=palette, vmin=low, vmax=high, interpolation="nearest", aspect="auto")
    axes.figure.colorbar(shown, ax=axes)


def palette_of(text: str) -> str:
    """The map of colours of matplotlib that a palette means; gnuplot's own where it means none."""
    words = text.replace("set palette", "").strip().strip("'\"")
    if words in _PALETTES:
        return _PALETTES[words]
    formulae = words.replace("rgbformulae", "").replace("rgb", "").replace(" ", "")
    if formulae in _FORMULAE:
        return _FORMULAE[formulae]
    return words if words in matplotlib.colormaps else "gnuplot"


# Axes without positive values that were reported.
_told: set[str] = set()
_DRAW = {"plot": _plot, "splot": _splot, "scatter3": _scatter3, "imagesc": _imagesc}


def _finish(axes: Any, settings: Settings, deep: bool, named: bool) -> None:
    if settings.title:
        axes.set_title(settings.title)
    for axis in "xyz" if deep else "xy":
        if settings.labels.get(axis):
            getattr(axes, f"set_{axis}label")(settings.labels[axis])
        if axis in settings.log:
            _set_log(axes, axis)
        _set_tics(getattr(axes, f"{axis}axis"), settings, axis)
    _set_aspect(axes, settings.aspect, deep)
    for axis in "xyz" if deep else "xy":
        low, high = settings.ranges.get(axis, (None, None))
        if low is not None or high is not None:
            getattr(axes, f"set_{axis}lim")(low, high)
    if settings.grid or deep:
        axes.grid(settings.grid or deep)
    if not settings.border and not deep:
        axes.set_frame_on(False)
    if named and settings.legend:
        _set_legend(axes, settings)


def _set_log(axes: Any, axis: str) -> None:
    """A logarithmic axis, where there is a positive value; otherwise gnuplot had nothing to draw either."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(axes, f"set_{axis}scale")("log")
    # A figure is drawn again when it changes, but the problem is reported once.
    if caught and axis not in _told:
        _told.add(axis)
        notice(f"gnuplot: no positive value for the logarithmic {axis} axis")


def _set_tics(axis: Any, settings: Settings, name: str) -> None:
    if name not in settings.tics:
        return
    tics = settings.tics[name]
    if tics is None:
        axis.set_ticks([])
    elif isinstance(tics, float):
        from matplotlib.ticker import MultipleLocator

        axis.set_major_locator(MultipleLocator(tics))
    else:
        axis.set_ticks([value for _, value in tics], labels=[text for text, _ in tics])


def _set_aspect(axes: Any, aspect: str, deep: bool) -> None:
    if aspect == "auto" or deep:
        return
    if aspect in ("image", "fill"):
        axes.margins(0)
        axes.autoscale_view(tight=True)
    if aspect in ("image", "equal"):
        axes.set_aspect("equal", adjustable="box" if aspect == "image" else "datalim")


def _set_legend(axes: Any, settings: Settings) -> None:
    across, down = settings.place
    vertical = {"top": "upper", "bottom": "lower", "middle": "center"}.get(down, "upper")
    location = "center" if (vertical, across) == ("center", "center") else f"{vertical} {across}"
    if settings.outside:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    else:
        axes.legend(loc=location)
