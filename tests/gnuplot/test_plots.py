"""Plots: what the axes of matplotlib hold, and the files that are written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from t7shell import LuaError, Runtime
from t7shell.host.notices import T7Warning
from t7shell.packages.display import show
from t7shell.packages.gnuplot import session
from t7shell.packages.gnuplot.draw import draw, palette_of
from t7shell.packages.gnuplot.figures import Figure

Plot = Callable[[str], Any]


# Tracebacks of tests refer to the state: it is closed with the process, not by the collector of cycles.
_states: list[Runtime] = []


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    made = Runtime()
    _states.append(made)
    made.execute("require 'gnuplot'; x = torch.range(0, 4); y = torch.Tensor{1, 4, 2, 8, 5}")
    return made


@pytest.fixture
def plot(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plot]:
    """plot(lua): the axes of the current figure after Lua source; every test begins without figures."""
    monkeypatch.setattr(session, "session", session.Session())
    show.choose("none")

    def run(source: str) -> Any:
        runtime.execute(source)
        return draw(session.session.drawn()).axes

    yield run
    show.flush()


def points(line: Any) -> list[list[float]]:
    return np.asarray(line.get_xydata()).tolist()


def test_y_alone_counts_from_1(plot: Plot) -> None:
    line = plot("gnuplot.plot(y)")[0].lines[0]
    assert points(line) == [[1, 1], [2, 4], [3, 2], [4, 8], [5, 5]]
    assert line.get_linestyle() == "None" and line.get_marker() == "+"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("form", "line", "marker"),
    [
        ("-", "-", "None"),
        ("+-", "-", "+"),
        ("+", "None", "+"),
        (".", "None", ","),
        ("with lines ls 1 lw 3", "-", "None"),
        ("with points pt 7", "None", "o"),
        ("with linespoints dt 2", "--", "+"),
        ("lines", "-", "None"),
    ],
)
def test_formats(plot: Plot, form: str, line: str, marker: str) -> None:
    drawn = plot(f"gnuplot.plot(x, y, '{form}')")[0].lines[0]
    assert points(drawn) == [[0, 1], [1, 4], [2, 2], [3, 8], [4, 5]]
    style = "--" if drawn.is_dashed() else drawn.get_linestyle()
    assert (style, drawn.get_marker()) == (line, marker)
    assert drawn.get_linewidth() == (3 if "lw 3" in form else 1)


def test_smooth_curves_go_through_the_points(plot: Plot) -> None:
    line = plot("gnuplot.plot(x, y, '~')")[0].lines[0]
    at, values = line.get_data()
    assert len(at) > 100
    np.testing.assert_allclose(np.interp([0, 1, 2, 3, 4], at, values), [1, 4, 2, 8, 5], atol=0.05)


def test_boxes_impulses_steps_and_circles(plot: Plot) -> None:
    boxes = plot("gnuplot.plot(x, y, '|')")[0].patches
    assert [(box.get_x(), box.get_width(), box.get_height()) for box in boxes[:2]] == [
        (-0.5, 1, 1),
        (0.5, 1, 4),
    ]
    stems = plot("gnuplot.plot(x, y, 'with impulses')")[0].collections[0].get_segments()
    assert np.asarray(stems[3]).tolist() == [[3, 0], [3, 8]]
    assert plot("gnuplot.plot(x, y, 'with steps')")[0].lines[0].get_drawstyle() == "steps-post"
    circles = plot("gnuplot.plot(x, y, torch.ones(5) * 0.5, 'with circles')")[0].collections[0]
    assert circles.get_offsets().tolist()[3] == [3, 8]
    filled = plot("gnuplot.plot(x, y, 'with filledcurves y1=0')")[0].collections[0]
    assert filled.get_paths()[0].get_extents().bounds == (0, 0, 4, 8)


def test_error_bars_and_vectors(plot: Plot) -> None:
    axes = plot("gnuplot.plot(x, y, torch.ones(5), 'with errorbars')")[0]
    bars = axes.collections[0].get_segments()
    assert np.asarray(bars[1]).tolist() == [[1, 3], [1, 5]]
    field = plot("gnuplot.plot(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{5, 6}, {7, 8}}, 'v')")[
        0
    ].collections[0]
    assert (field.XY.tolist(), field.U.tolist(), field.V.tolist()) == ([[1, 5], [3, 7]], [2, 4], [6, 8])


@pytest.mark.parametrize(
    "call",
    [
        "gnuplot.plot({'a', x, y, '-'}, {'b', y})",
        "gnuplot.plot({{'a', x, y, '-'}, {'b', y}})",
    ],
)
def test_several_curves_and_their_names(plot: Plot, call: str) -> None:
    axes = plot(call)[0]
    assert [len(line.get_xdata()) for line in axes.lines] == [5, 5]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_a_name_before_one_curve(plot: Plot) -> None:
    axes = plot("gnuplot.plot('loss', y, '-')")[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["loss"]
    assert plot("gnuplot.plot(y)")[0].get_legend() is None


def test_columns_of_a_matrix(plot: Plot) -> None:
    lines = plot("gnuplot.plot(torch.Tensor{{0, 1, 2}, {1, 3, 4}}, '-')")[0].lines
    assert [points(line) for line in lines] == [[[0, 1], [1, 3]], [[0, 2], [1, 4]]]


def test_settings_before_and_after(plot: Plot) -> None:
    axes = plot(
        "gnuplot.title('A') gnuplot.plot({'n', x, y}) gnuplot.xlabel('time') gnuplot.ylabel('value')"
        " gnuplot.axis{0, 10, '', 20} gnuplot.movelegend('left', 'bottom') gnuplot.logscale('y')"
    )[0]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("A", "time", "value")
    assert axes.get_xlim() == (0, 10) and axes.get_ylim()[1] == 20
    assert axes.get_yscale() == "log" and axes.get_legend()._loc == 3
    axes = plot("gnuplot.grid(true) gnuplot.axis('equal') gnuplot.logscale('y', false)")[0]
    assert axes.get_aspect() == 1 and axes.get_yscale() == "linear"
    assert axes.xaxis.get_gridlines()[0].get_visible()


def test_images_have_the_first_row_on_top(plot: Plot) -> None:
    axes = plot("gnuplot.imagesc(torch.Tensor{{1, 2, 3}, {4, 5, 6}}, 'color')")[0]
    shown = axes.images[0]
    assert shown.get_array().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert axes.get_ylim()[0] > axes.get_ylim()[1] and shown.get_cmap().name == "gnuplot"
    assert [palette_of(name) for name in ("gray", "rgbformulae 33,13,10", "jet", "what")] == [
        "gray",
        "rainbow",
        "jet",
        "gnuplot",
    ]


def test_surfaces_and_points_in_space(plot: Plot) -> None:
    axes = plot("gnuplot.splot({'s', torch.Tensor{{1, 2}, {3, 4}}}) gnuplot.zlabel('z')")[0]
    assert axes.get_zlabel() == "z" and axes.zaxis.get_data_interval().tolist() == [1, 4]
    assert plot("gnuplot.splot(torch.range(1, 3), torch.range(1, 2), torch.ones(2, 3))")[0].name == "3d"
    drawn = plot("gnuplot.scatter3({'p', x, y, x * 2}, {'q', y, x, x})")[0].lines
    assert np.asarray(drawn[0].get_data_3d())[:, 3].tolist() == [3, 8, 6]


def test_histograms(plot: Plot, runtime: Runtime) -> None:
    boxes = plot("gnuplot.hist(torch.Tensor{0, 0.1, 0.6, 1}, 2, 0, 1)")[0].patches
    assert [(box.get_x(), box.get_height()) for box in boxes] == [(0, 2), (0.5, 2)]
    assert runtime.eval("gnuplot.histc(torch.Tensor{0, 0.1, 0.6, 1}, 4)[3].val") == 0.625
    assert [box.get_height() for box in plot("gnuplot.bar(y)")[0].patches] == [1, 4, 2, 8, 5]


def test_raw(plot: Plot) -> None:
    axes = plot(
        'gnuplot.raw(\'set xrange [1:3]; set yrange [:9]\\nset xtics ("a;b" 1, "c" 2)\')'
        " gnuplot.plot({'n', x, y}) gnuplot.raw('set key left bottom')"
        " gnuplot.raw('set title \"T\"; set logscale y')"
    )[0]
    assert axes.get_xlim() == (1, 3) and axes.get_ylim()[1] == 9
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["a;b", "c"]
    assert (axes.get_title(), axes.get_yscale(), axes.get_legend()._loc) == ("T", "log", 3)
    axes = plot("gnuplot.raw('unset key; unset xtics; unset title; unset logscale')")[0]
    assert axes.get_legend() is None and len(axes.get_xticks()) == 0 and axes.get_title() == ""
    with pytest.warns(T7Warning) as caught:
        plot("gnuplot.raw('set warp 9; test; set xtics')")
    assert [str(given.message) for given in caught] == [
        "gnuplot.raw: 'set warp 9' is not understood",
        "gnuplot.raw: 'test' is not understood",
    ]


def test_several_plots_in_a_figure(plot: Plot) -> None:
    axes = plot(
        "gnuplot.raw('set multiplot layout 2, 1') gnuplot.plot(y) gnuplot.title('second') gnuplot.plot(x)"
        " gnuplot.raw('unset multiplot')"
    )
    assert len(axes) == 2 and [a.get_title() for a in axes] == ["", "second"]
    assert axes[0].get_subplotspec().get_gridspec().get_geometry() == (2, 1)


def test_figures(plot: Plot, runtime: Runtime) -> None:
    plot("a = gnuplot.figure() gnuplot.plot(x) b = gnuplot.figure() gnuplot.plot(y) gnuplot.figure(a)")
    assert runtime.eval("b - a") == 1
    assert points(draw(session.session.drawn()).axes[0].lines[0])[0] == [1, 0]
    runtime.execute("gnuplot.close(a)")
    assert points(draw(session.session.drawn()).axes[0].lines[0])[0] == [1, 1]
    runtime.execute("gnuplot.closeall()")
    assert not session.session.figures


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("png", b"\x89PNG"),
        ("svg", b"<?xml"),
        pytest.param("eps", b"%!PS", marks=pytest.mark.slow),
        pytest.param("pdf", b"%PDF", marks=pytest.mark.slow),
    ],
)
def test_files(plot: Plot, tmp_path: Path, name: str, start: bytes) -> None:
    contents = []
    for i in range(2):
        path = tmp_path / f"{i}.{name}"
        plot(f"gnuplot.{name}figure('{path}') gnuplot.plot(y) gnuplot.plotflush()")
        contents.append(path.read_bytes())
    assert contents[0].startswith(start)
    # Nothing in a file tells when it was made.
    assert contents[0] == contents[1]


@pytest.mark.slow
def test_files_are_complete_when_another_figure_is_chosen(plot: Plot, tmp_path: Path) -> None:
    path, printed = tmp_path / "a.png", tmp_path / "b.svg"
    plot(f"gnuplot.pngfigure('{path}') gnuplot.plot(y) gnuplot.title('late') gnuplot.figure()")
    with Image.open(path) as picture:
        assert picture.size == (640, 480)
    plot(f"gnuplot.plot(y) gnuplot.figprint('{printed}')")
    assert b"<svg" in printed.read_bytes()
    raw = tmp_path / "c.png"
    plot(f"gnuplot.raw('set term png; set output \"{raw}\"') gnuplot.plot(y) gnuplot.raw('set output')")
    assert raw.exists()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("gnuplot.plot()", "plot: curve must have a tensor (got nothing)"),
        ("gnuplot.plot(3)", "plot: curve must be [name,] tensors [, format] (got 3 as part 1)"),
        (
            "gnuplot.plot(torch.Tensor())",
            "plot: tensor must have elements (got DoubleTensor without elements)",
        ),
        ("gnuplot.plot(torch.ones(3), torch.ones(4))", "plot: x and y must have the same number of elements"),
        ("gnuplot.plot(y, 'with nothing')", "plot: format 'with nothing': no kind of curve 'nothing'"),
        ("gnuplot.plot(y, 'lines speed 3')", "'speed' is not understood"),
        (
            "gnuplot.plot(y, 'with circles')",
            "plot: matrix must have 3 columns for the format 'with circles' (got 2)",
        ),
        ("gnuplot.imagesc(y)", "imagesc: argument 1 must be a matrix (got DoubleTensor [5])"),
        (
            "gnuplot.axis('round')",
            "axis: argument 1 must be one of 'auto', 'image', 'equal', 'fill' (got 'round')",
        ),
        ("gnuplot.movelegend('up', 'top')", "movelegend: argument 1 must be one of"),
        ("gnuplot.hist(torch.Tensor())", "hist: tensor must have elements"),
        ("gnuplot.figprint('x.png')", "figprint: there is no plot"),
        ("gnuplot.close(7)", "close: there is no figure 7"),
        (
            "gnuplot.pngfigure('/no/such/x.png') gnuplot.plot(y) gnuplot.plotflush()",
            "cannot write /no/such/x.png",
        ),
    ],
)
def test_errors(plot: Plot, call: str, message: str) -> None:
    with pytest.raises(LuaError) as raised:
        plot(call)
    assert message in str(raised.value)
    session.session.figures.clear()


def test_numbers_that_are_none(plot: Plot) -> None:
    axes = plot("gnuplot.plot(torch.Tensor{1, 0/0, 1/0, 2}, '-')")[0]
    assert len(axes.lines[0].get_xdata()) == 4
    plot("gnuplot.plot(torch.Tensor{1, 0/0, 2, 2, 5}, '~')")


@pytest.mark.slow
def test_a_logarithmic_axis_without_positive_values(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text(
        f"require 'gnuplot' gnuplot.pngfigure('{tmp_path}/x.png') gnuplot.logscale('y')\n"
        "gnuplot.plot(torch.zeros(5)) gnuplot.plotflush()\n"
    )
    command = [sys.executable, "-m", "t7shell", str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == "gnuplot: no positive value for the logarithmic y axis\n"
    assert (tmp_path / "x.png").exists()


def test_a_file_that_cannot_be_written_is_given_up(plot: Plot, runtime: Runtime) -> None:
    with pytest.raises(LuaError, match="cannot write /no/such/folder/x"):
        runtime.execute(
            "gnuplot.pngfigure('/no/such/folder/x.png') gnuplot.plot(torch.ones(3)) gnuplot.plotflush()"
        )
    # The next figure is made as ever.
    assert points(plot("gnuplot.figure() gnuplot.plot(torch.Tensor{4})")[0].lines[0]) == [[1, 4]]


def test_bars_over_x(plot: Plot) -> None:
    boxes = plot("gnuplot.bar(x, y)")[0].patches
    assert [box.get_height() for box in boxes] == [1, 4, 2, 8, 5]
    assert [box.get_x() + box.get_width() / 2 for box in boxes] == pytest.approx([0, 1, 2, 3, 4])


def test_folders_of_files_are_checked_at_once(runtime: Runtime) -> None:
    with pytest.raises(LuaError, match=r"cannot write /no/such/x\.png: there is no such folder"):
        runtime.execute("gnuplot.pngfigure('/no/such/x.png')")


def test_files_are_named_in_the_folder_of_the_call(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    runtime.execute("gnuplot.pngfigure('x.png') gnuplot.plot(torch.ones(3))")
    monkeypatch.chdir(elsewhere)
    runtime.execute("gnuplot.plotflush()")
    assert (tmp_path / "x.png").exists() and not (elsewhere / "x.png").exists()


def test_a_log_that_is_plotted_in_a_loop_is_drawn_seldom_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def content(figure: Figure, form: str) -> bytes:
        drawn.append(len(figure.panels[0].curves[0].data))
        return b""

    monkeypatch.setattr(session, "_content", content)
    monkeypatch.setattr(show, "_SHARE", 1e9)
    runtime = Runtime()
    _states.append(runtime)
    runtime.execute(f"""
        require 'optim'
        log = optim.Logger({str(tmp_path / "log")!r})
        log:display(false)
        log:setNames{{"loss"}}:add{{1}}
        for i = 1, 50 do log:add{{i}} log:plot() end""")
    assert drawn == [2, 51]
    assert (tmp_path / "log.eps").exists()
