"""Drawings of matplotlib that depend neither on the user's settings of it nor on the time."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

from t7shell.host.atomic_write import replacing
from t7shell.host.system import environment

# It reports searches for fonts and formats without transparency, which are of no use to a program.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

DPI = 100
_SETTINGS: Any = {"svg.hashsalt": "t7", "pdf.fonttype": 42, "legend.framealpha": 1.0}


@contextmanager
def drawing(size: tuple[float, float]) -> Iterator[Drawing]:
    """A new drawing of a size in inches, which is laid out at the end."""
    with settings():
        made = Drawing(figsize=size, layout="constrained")
        canvas = FigureCanvasAgg(made)
        yield made
        canvas.draw()  # type: ignore[no-untyped-call]


@contextmanager
def settings() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def content(made: Drawing, form: str) -> bytes:
    """The bytes of a file with a drawing, without the date of creation."""
    out = io.BytesIO()
    options: dict[str, Any] = {"metadata": {"Date": None}} if form == "svg" else {}
    with settings(), environment({"SOURCE_DATE_EPOCH": "0"}):
        made.savefig(out, format=form, dpi=DPI, **options)
    return out.getvalue()


def write(path: str, data: bytes) -> None:
    """Writes a file, whose path is latin-1 text. Raises ValueError with the reason."""
    try:
        with replacing(path, sync=False) as file:
            file.write(data)
    except OSError as reason:
        raise ValueError(f"cannot write {path}: {reason.strerror}") from None
