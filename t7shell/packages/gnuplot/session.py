"""The figures of a program, and the calls that change them.

Settings apply to all later plots, as in gnuplot, and to the current one, which is drawn again. Drawing is
deferred: plots are offered to `t7shell.packages.display.show`. Functions raise ValueError when they fail.
"""

from __future__ import annotations

import atexit
import copy
import os
import re
from typing import Any

from t7shell.host import encoding
from t7shell.host.memory import vector
from t7shell.host.notices import notice
from t7shell.packages.display import show
from t7shell.packages.gnuplot import formats
from t7shell.packages.gnuplot.figures import Curve, Figure, Panel
from t7shell.packages.gnuplot.settings import SET, UNSET, NotUnderstood, Settings, commands, find, text_of

FORMATS = ("png", "svg", "eps", "pdf")
_TERMS = {"postscript": "eps", "epslatex": "eps", "pngcairo": "png", "pdfcairo": "pdf"}


class Session:
    """The figures, the current one and the settings of plots to come."""

    def __init__(self) -> None:
        self.figures: dict[int, Figure] = {}
        self.current: Figure | None = None
        self.settings = Settings()
        self.curves: list[Curve] = []
        self.term = ""

    def select(self, number: int | None) -> Figure:
        """Makes a figure the current one; a new one where there is none of that number."""
        if self.current and self.current.path and self.current.number != number:
            self.finish(self.current)
        if number is None:
            number = max(self.figures, default=0) + 1
        if number not in self.figures:
            self.figures[number] = Figure(number)
        self.current = self.figures[number]
        return self.current

    def drawn(self) -> Figure:
        """The current figure; the first one where there is none yet."""
        return self.current or self.select(None)

    def add(self, kind: str) -> None:
        """Puts the waiting curves into the current figure."""
        curves, self.curves = self.curves, []
        figure = self.drawn()
        panel = Panel(kind, curves, copy.deepcopy(self.settings))
        if figure.filling:
            figure.panels.append(panel)
        else:
            figure.panels, figure.layout = [panel], None
        self.changed(figure)

    def change(self, what: Any, *arguments: Any) -> None:
        """Changes the settings of later plots, and of the current one.

        While a figure gets several plots, each is complete when the next one starts.
        """
        what(self.settings, *arguments)
        if self.current and self.current.panels and not self.current.filling:
            what(self.current.panels[-1].settings, *arguments)
            self.changed(self.current)

    def changed(self, figure: Figure) -> None:
        """Schedules a figure for drawing; files are written when they are complete."""
        figure.written = False
        if not figure.path:
            title = f"figure {figure.number}"
            show.offer(figure.key, title, lambda: _content(figure, "png"), lambda *size: _text(figure, *size))

    def finish(self, figure: Figure) -> None:
        """Writes the file of a figure that has one, unless it is there. A failed write is not repeated."""
        if figure.path and figure.panels and not figure.written:
            path, figure.written = figure.path, True
            try:
                _write(figure, path, figure.form)
            except ValueError:
                figure.path = ""
                raise

    def forget(self, figure: Figure) -> None:
        """Removes a figure."""
        show.withdraw(figure.key)
        del self.figures[figure.number]
        if self.current is figure:
            self.current = self.figures[max(self.figures)] if self.figures else None


session = Session()


def _content(figure: Figure, form: str) -> bytes:
    from t7shell.packages.gnuplot.draw import content

    return content(figure, form)


def _text(figure: Figure, columns: int, lines: int) -> str | None:
    from t7shell.packages.gnuplot.text_plot import text

    return text(figure, columns, lines)


def _write(figure: Figure, path: str, form: str) -> None:
    from t7shell.packages.display import canvas

    canvas.write(path, _content(figure, form))


@atexit.register
def _finish_all() -> None:
    for figure in session.figures.values():
        try:
            session.finish(figure)
        except ValueError as reason:
            notice(f"gnuplot: {reason}")


def curve(name: str, form: str, address: float, rows: float, columns: float) -> None:
    """Adds a matrix of doubles as a curve to the next plot. Its elements are copied."""
    count = int(rows) * int(columns)
    data = vector(int(address), "float64", count, 8).reshape(int(rows), int(columns)).copy()
    style = formats.read(form or session.settings.style)
    session.curves.append(Curve(encoding.shown(name), style, data))


def columns_of(form: str) -> int:
    """How many columns a curve of a format takes besides x, at least."""
    return formats.read(form or session.settings.style).columns


def plot(kind: str) -> None:
    """Plots the curves given since the last plot, as 'plot', 'splot' or 'scatter3'."""
    session.add(kind)


def imagesc(palette: str) -> None:
    """Plots the matrix that was given in the colours of a palette."""
    session.settings.palette = palette
    session.add("imagesc")


def setting(name: str, *arguments: Any) -> None:
    """Changes a setting by its name in `Settings`: ('labels', 'x', text), ('ranges', 'x', 0, nil)."""

    def change(settings: Settings) -> None:
        if name == "labels":
            settings.labels[arguments[0]] = encoding.shown(arguments[1])
        elif name == "ranges":
            low, high = arguments[1], arguments[2]
            settings.ranges[arguments[0]] = (low, high)
            settings.aspect = "auto" if settings.aspect == "fill" else settings.aspect
        elif name == "aspect":
            settings.aspect = arguments[0]
            settings.ranges.clear()
        elif name == "place":
            settings.place, settings.legend = (arguments[0], arguments[1]), True
        elif name == "log":
            (settings.log.add if arguments[1] else settings.log.discard)(arguments[0])
        else:
            value = arguments[0]
            setattr(settings, name, encoding.shown(value) if isinstance(value, str) else value)

    session.change(change)


def raw(text: str) -> None:
    """Executes commands of gnuplot; unsupported ones are named on the error stream."""
    for command in commands(encoding.shown(text)):
        try:
            _command(command)
        except NotUnderstood as reason:
            notice(f"gnuplot.raw: '{reason}' is not understood")


def _command(command: str) -> None:
    verb, _, rest = command.partition(" ")
    if verb in ("replot", "refresh", "rep", "clear", "pause"):
        return
    if verb == "reset":
        session.settings = Settings()
        return
    name, _, words = rest.strip().partition(" ")
    if verb in ("set", "se") and name:
        _set(name, words, command)
    elif verb in ("unset", "unse") and name:
        if name == "multiplot":
            session.drawn().filling = False
        elif name == "output":
            flush(None)
        else:
            change = find(UNSET, name)
            if not change:
                raise NotUnderstood(command)
            session.change(change, words)
    else:
        raise NotUnderstood(command)


def _set(name: str, words: str, command: str) -> None:
    if "terminal".startswith(name) and len(name) >= 3:
        kind = words.split()[0] if words.split() else ""
        session.term = _TERMS.get(kind, kind)
    elif name == "output":
        path = text_of(words)
        if path and session.term in FORMATS:
            file_figure(path.encode().decode("latin-1"), session.term)
        else:
            flush(None)
    elif name == "multiplot":
        found = re.search(r"layout\s+(\d+)\s*,\s*(\d+)", words)
        figure = session.drawn()
        figure.panels, figure.filling = [], True
        figure.layout = (max(1, int(found[1])), max(1, int(found[2]))) if found else (1, 1)
    elif re.fullmatch(r"no(key|grid|title|border)", name):
        session.change(UNSET[name[2:]], "")
    else:
        change = find(SET, name)
        if not change:
            raise NotUnderstood(command)
        session.change(change, words)


def figure(number: float | None = None) -> int:
    """Selects a figure, or makes one; returns its number."""
    return session.select(None if number is None else int(number)).number


def file_figure(path: str, form: str) -> int:
    """Makes a new current figure, which is written to a file of a format; returns its number."""
    if form not in FORMATS:
        raise ValueError(f"the format must be one of {', '.join(FORMATS)} (got '{form}')")
    folder = os.path.dirname(path.encode("latin-1"))
    if folder and not os.path.isdir(folder):
        raise ValueError(f"cannot write {path}: there is no such folder")
    made = session.select(None)
    # It is written later, when the program may be in another folder.
    made.path, made.form = os.path.abspath(path.encode("latin-1")).decode("latin-1"), form
    return made.number


def print_figure(path: str) -> None:
    """Writes the current figure to a file of the kind that its name ends in; .eps by default."""
    if not session.current or not session.current.panels:
        raise ValueError("there is no plot")
    extension = os.path.splitext(path)[1][1:].lower()
    _write(session.current, path, extension if extension in FORMATS else "eps")


def _figure(number: float | None) -> Figure | None:
    if number is None:
        return session.current
    if int(number) not in session.figures:
        raise ValueError(f"there is no figure {int(number)}")
    return session.figures[int(number)]


def flush(number: float | None = None) -> None:
    """Shows a figure, or writes its file."""
    found = _figure(number)
    if found and found.path:
        session.finish(found)
    else:
        show.flush()


def close(number: float | None = None) -> None:
    """Forgets a figure, after its file is written."""
    found = _figure(number)
    if not found:
        return
    session.finish(found)
    session.forget(found)


def replace(number: float) -> None:
    """Forgets a figure whose file is written now, or, where a loop writes it again and again, later."""
    found = _figure(number)
    if found and found.path and found.panels:
        show.replace(found.path, lambda: session.finish(found))
        session.forget(found)


def close_all() -> None:
    """Forgets all figures, after their files are written."""
    for number in list(session.figures):
        close(number)
