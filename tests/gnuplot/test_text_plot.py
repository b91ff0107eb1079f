"""Plots in a terminal without pictures: axes, titles and legends are characters that can be read."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Run

CURVES = """
require 'gnuplot'
local x = torch.linspace(0, 10, 50)
gnuplot.title('Damped waves')
gnuplot.xlabel('time (s)')
gnuplot.ylabel('voltage (mV)')
local s, c = torch.sin(x) * 30, torch.cos(x) * 30
gnuplot.plot({'sine', x, s, '-'}, {'cosine', x, c, '-'}, {'samples', x, x, '+'})
"""


def shown(t7: Run, source: str, columns: int = 80) -> tuple[str, list[str]]:
    """What a terminal of a size gets, and its lines without colours."""
    size = {"COLUMNS": str(columns), "LINES": "24"}
    done = t7("--show=terminal", "-e", source, env=size)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout, re.sub(r"\x1b\[[\d;]*m", "", done.stdout).splitlines()


def test_ticks_titles_and_legends_are_text(t7: Run) -> None:
    output, lines = shown(t7, CURVES)
    assert lines[0].strip() == "Damped waves" and lines[1] == "voltage (mV)"
    ticks = [line.partition("┤")[0].strip() for line in lines if "┤" in line]
    assert ticks == ["30", "20", "10", "0", "\u221210", "\u221220", "\u221230"]
    axis = next(at for at, line in enumerate(lines) if "└" in line)
    assert lines[axis + 1].split() == ["0", "2", "4", "6", "8", "10"]
    assert lines[axis + 2].strip() == "time (s)"
    assert lines[axis + 3] == "  ━━ sine   ━━ cosine   ●● samples"
    assert max(map(len, lines)) <= 80 and len(lines) <= 24
    # The sample of a curve has its color, which is among those of the picture.
    red, green, blue = re.findall(r"38;2;(\d+);(\d+);(\d+)m━━", output)[0]
    assert output.count(f"{red};{green};{blue}") > 10


def test_a_curve_lies_where_the_ticks_say(t7: Run) -> None:
    """The line from (0, 0) to (10, 10) goes through the corners, where 0 and 10 are written."""
    output, lines = shown(
        t7,
        "require 'gnuplot' gnuplot.axis{0, 10, 0, 10} gnuplot.plot(torch.range(0, 10), "
        "torch.range(0, 10), '-')",
    )
    rows = [
        line.split("│" if "│" in line else "┤")[1] for line in output.splitlines() if re.search("[│┤]", line)
    ]
    colored = [re.findall(r"38;2;([\d;]+);48;2;([\d;]+)m▀", row) for row in rows]
    marked = [[x for x, pair in enumerate(row) if set(pair) != {"255;255;255"}] for row in colored]
    width = len(colored[0])
    assert marked[0] and min(marked[0]) > width * 0.9 and marked[-1] and max(marked[-1]) < width * 0.1
    plain = [line for line in lines if "┤" in line]
    assert plain[0].strip().startswith("10 ┤") and plain[-1].strip().startswith("0 ┤")


@pytest.mark.slow
def test_logarithmic_ticks_have_no_formula(t7: Run) -> None:
    _, lines = shown(
        t7, "require 'gnuplot' gnuplot.raw('set logscale y') gnuplot.plot(torch.logspace(0, 4, 20))"
    )
    ticks = [line.partition("┤")[0].strip() for line in lines if "┤" in line]
    assert ticks == ["10^4", "10^3", "10^2", "10^1", "10^0"]


@pytest.mark.slow
def test_plots_lie_beside_each_other(t7: Run) -> None:
    source = """require 'gnuplot'
    gnuplot.raw('set multiplot layout 1,2')
    gnuplot.title('left') gnuplot.plot(torch.rand(9)) gnuplot.title('right') gnuplot.plot(torch.rand(9))
    gnuplot.raw('unset multiplot')"""
    _, lines = shown(t7, source, columns=100)
    assert lines[0].split() == ["left", "right"]
    assert sum(line.count("└") for line in lines) == 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("columns", [20, 30, 60])
def test_narrow_terminals(t7: Run, columns: int) -> None:
    _, lines = shown(t7, CURVES, columns)
    assert lines and max(map(len, lines)) <= columns


@pytest.mark.slow
def test_surfaces_are_pictures(t7: Run) -> None:
    output, lines = shown(t7, "require 'gnuplot' gnuplot.splot(torch.rand(5, 5))")
    assert set("".join(lines)) == {"▀"} and "48;2;" in output
