"""Curves, plots, which show curves, and figures, which hold plots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from t7shell.packages.gnuplot.formats import Style
from t7shell.packages.gnuplot.settings import Settings


@dataclass
class Curve:
    """A name, which may be empty, how it is drawn, and columns, the first of them x."""

    name: str
    style: Style
    data: np.ndarray[Any, Any]


@dataclass
class Panel:
    """One plot: its kind, its curves, and the settings it is drawn with."""

    kind: str
    curves: list[Curve]
    settings: Settings


@dataclass
class Figure:
    """Plots that are shown together; a figure with a path is written to that file."""

    number: int
    path: str = ""
    form: str = ""
    panels: list[Panel] = field(default_factory=list)
    layout: tuple[int, int] | None = None
    filling: bool = False  # whether plots fill the next cell of the layout
    size: tuple[float, float] = (6.4, 4.8)
    written: bool = False  # whether its file has what it shows

    @property
    def key(self) -> str:
        return f"figure-{self.number}"
